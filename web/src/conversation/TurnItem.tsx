import { CallLine } from "./CallLine";
import { Fold } from "./Fold";
import { LookupGroup } from "./LookupGroup";
import { Markdown } from "./Markdown";
import type { Synthesis } from "./messages";
import { ReasoningFold } from "./ReasoningFold";
import type { Item } from "./steps";
import { plural } from "./amounts";

interface Props {
  item: Item;
  live: boolean;
  /** It is the last item of a running turn. */
  growing: boolean;
}

export function TurnItem({ item, live, growing }: Props) {
  switch (item.kind) {
    case "text":
      return item.byMulligan ? <ByMulligan text={item.text} /> : <Markdown text={item.text} growing={growing} />;
    case "reasoning":
      return <ReasoningFold text={item.text} growing={growing} />;
    case "call":
      return <CallLine call={item.call.call} result={item.call.result} live={live} />;
    case "looking":
      return <LookupGroup calls={item.calls} live={live} />;
    case "wrap_up":
      return <p className="turn-divider">Not checked: the model’s summary after it was stopped</p>;
    case "synthesis":
      return <SynthesisMark synthesis={item.synthesis} />;
  }
}

function ByMulligan({ text }: { text: string }) {
  return (
    <div className="by-mulligan">
      <p className="card-label">Written by Mulligan</p>
      <Markdown text={text} />
    </div>
  );
}

function SynthesisMark({ synthesis }: { synthesis: Synthesis }) {
  const { tool, files } = synthesis;
  const words = `Synthesis — written from ${tool}`;
  if (files.length === 0) return <p className="synthesis">{words}</p>;
  return (
    <Fold className="synthesis" summary={`${words} and ${plural(files.length, "file")}`}>
      {() => (
        <ul>
          {files.map((file) => (
            <li key={file}>
              <code>{file}</code>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
