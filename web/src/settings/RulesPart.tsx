import { useState } from "react";

import { api, call } from "../api/client";
import type { RulesView, ToolServerView } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { useLoaded } from "../state/loaded";

/** Permissions, hooks and MCP servers. Files hold them, so they are only shown here, except for the trust in a server. */
export function RulesPart({ projectId, userFile }: { projectId: string; userFile: string }) {
  const loaded = useLoaded(projectId, () => loadRules(projectId), null);
  const [changed, setChanged] = useState<RulesView | null>(null);
  const view = changed ?? loaded.data;
  if (loaded.problem && !view) return <p className="view-problem">{loaded.problem}</p>;
  if (!view) return <p className="view-quiet">Loading…</p>;
  const none = view.rules.length + view.hooks.length + view.formatters.length === 0;
  return (
    <>
      <p className="view-quiet">
        Rules and hooks are yours alone, in <code>{userFile}</code>: no project can set any. Deny wins over ask, and ask over allow.
      </p>
      {none && <p>There are no rules, hooks or formatters.</p>}
      <ul className="rule-list" aria-label="Permissions">
        {view.rules.map((rule, index) => (
          <li key={index}>
            <strong className={`rule-${rule.decision}`}>{rule.decision}</strong>{" "}
            <code>{rule.command ?? [rule.tool, rule.path].filter(Boolean).join(" ")}</code>
            <p className="view-quiet">{rule.source}</p>
          </li>
        ))}
      </ul>
      <ul className="rule-list" aria-label="Hooks and formatters">
        {view.hooks.map((hook, index) => (
          <li key={index}>
            <strong>{hook.event}</strong> of {hook.path ?? hook.tool}: <code>{hook.command}</code>
          </li>
        ))}
        {view.formatters.map((each, index) => (
          <li key={`f${String(index)}`}>
            <strong>format</strong> {each.path}: <code>{each.command}</code>
          </li>
        ))}
      </ul>
      <h3>MCP servers</h3>
      {view.servers.length === 0 && <p>None declared.</p>}
      {view.problems.map((each) => (
        <p key={each} className="view-problem">
          {each}
        </p>
      ))}
      <ul className="rule-list" aria-label="MCP servers">
        {view.servers.map((each) => (
          <Server key={`${each.origin}/${each.name}`} projectId={projectId} server={each} onChange={setChanged} />
        ))}
      </ul>
    </>
  );
}

interface ServerProps {
  projectId: string;
  server: ToolServerView;
  onChange: (view: RulesView) => void;
}

/** A server with everything that it would run, so that the user sees what they trust. */
function Server({ projectId, server, onChange }: ServerProps) {
  const { problem, underWay, attempt } = useAttempt();
  const trust = (fingerprint: string | null) => {
    attempt(async () => {
      const params = { path: { project_id: projectId, name: server.name } };
      onChange(await call(api.PUT("/api/projects/{project_id}/tool-servers/{name}/trust", { params, body: { fingerprint } })));
    });
  };
  return (
    <li>
      <strong>{server.name}</strong>{" "}
      <span className={`agent-kind agent-kind-${server.state === "ready" ? "ask" : "edit"}`}>{server.state}</span>
      <pre className="rule-described">{server.described}</pre>
      {server.state === "not trusted" && (
        <Button
          disabled={underWay}
          onClick={() => {
            trust(server.fingerprint);
          }}
        >
          Trust {server.name}
        </Button>
      )}
      {server.state === "ready" && !server.personal && (
        <Button
          look="quiet"
          disabled={underWay}
          onClick={() => {
            trust(null);
          }}
        >
          Do not trust {server.name} any more
        </Button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </li>
  );
}

function loadRules(projectId: string): Promise<RulesView> {
  return call(api.GET("/api/projects/{project_id}/rules", { params: { path: { project_id: projectId } } }));
}
