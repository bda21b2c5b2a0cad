import type { AgentView } from "../api/types";

/** The agents. Those that are not installed are folded, with how to get them. */
export function AgentList({ agents }: { agents: readonly AgentView[] }) {
  const here = agents.filter((each) => each.here);
  const missing = agents.filter((each) => !each.here);
  return (
    <>
      <ul className="agent-list">
        {here.map((agent) => (
          <li key={agent.name}>
            <strong>{agent.name}</strong>{" "}
            <span className={`agent-kind agent-kind-${agent.writes ? "edit" : "ask"}`}>
              {agent.kind === "external" ? "external" : agent.writes ? "edits" : "reads"}
            </span>
            <p className="view-quiet">
              {agent.description}
              {agent.version ? ` (${agent.version})` : ""}
            </p>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <details className="settings-more">
          <summary>{missing.length} external agents that are not installed</summary>
          <ul className="agent-list">
            {missing.map((agent) => (
              <li key={agent.name}>
                <strong>{agent.name}</strong>
                <p className="view-quiet">
                  {agent.description}
                  {agent.install && (
                    <>
                      {" "}
                      To install it: <code>{agent.install}</code>
                    </>
                  )}
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
