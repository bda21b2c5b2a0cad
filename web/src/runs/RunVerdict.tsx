import { useLocation } from "wouter";

import type { SchemaRunDetail as RunDetail } from "../api/schema";
import { Button } from "../components/Button";
import { Markdown } from "../conversation/Markdown";
import { Icon } from "../icons";
import { routes } from "../routes";
import { draftKey, writeDraft } from "../state/drafts";
import { capitalized } from "../state/words";
import type { RunEnding } from "./fold";
import { VERDICT_ICONS, chatAbout, endWords } from "./words";

interface Props {
  end: RunEnding;
  detail: RunDetail;
}

/** How a run ended: what to do now, then the general reason and the run's own explanation. */
export function RunVerdict({ end, detail }: Props) {
  const { advice } = detail;
  return (
    <section className={`verdict verdict-${end.verdict}`} aria-label="Verdict">
      <p className="verdict-words">
        <Icon name={VERDICT_ICONS[end.verdict]} /> {capitalized(end.verdict)}
      </p>
      {advice.length > 0 && end.verdict !== "verified" && (
        <div className="verdict-advice">
          <h3>What to do now</h3>
          <ol>
            {advice.map((sentence) => (
              <li key={sentence}>
                <Markdown text={sentence} />
              </li>
            ))}
          </ol>
          <NextActs detail={detail} />
        </div>
      )}
      {endWords(end).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </section>
  );
}

function NextActs({ detail: { run, begin_with: command } }: { detail: RunDetail }) {
  const [, navigate] = useLocation();
  const { project_id: projectId, state } = run;
  return (
    <div className="run-acts">
      <Button
        look="primary"
        icon="retry"
        onClick={() => {
          navigate(routes.runs(projectId), { state: { goal: state.goal, verify: command } });
        }}
      >
        {command ? "Try again with this test" : "Try again"}
      </Button>
      <Button
        icon="chat"
        onClick={() => {
          writeDraft(draftKey.newChat(projectId), chatAbout(state));
          navigate(routes.project(projectId));
        }}
      >
        Open as chat
      </Button>
    </div>
  );
}
