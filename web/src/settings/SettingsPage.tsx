import "../styles/views.css";
import "../styles/setup.css";
import "../styles/settings.css";

import { useEffect, useState } from "react";

import { api, call } from "../api/client";
import type { SettingView, SettingsView } from "../api/types";
import { Segmented } from "../components/Segmented";
import { modelSentence } from "../composing";
import { ModelWays } from "../setup/SetupCard";
import { useLoaded } from "../state/loaded";
import { serverActions, useProject } from "../state/server";
import { type Theme, chooseTheme, useTheme } from "../theme";
import { AgentList } from "./AgentList";
import { ProbePanel } from "./ProbePanel";
import { RulesPart } from "./RulesPart";
import { SettingRow } from "./SettingRow";
import { groupTitles, shownIn } from "./rows";

/** All settings, each with the origin of its value. Changes made here are saved to the user's own file. */
export function SettingsPage({ projectId }: { projectId: string }) {
  const { models, agents = [] } = useProject(projectId);
  const loaded = useLoaded(projectId, () => loadSettings(projectId), models);
  const [changed, setChanged] = useState<{ after: SettingsView | undefined; view: SettingsView } | null>(null);
  // The answer to a change is newer than what was loaded before it, and older than what is loaded later.
  const view = changed && changed.after === loaded.data ? changed.view : loaded.data;
  useScrollToHash(view !== undefined);

  const change = async (setting: SettingView, value: unknown) => {
    const params = { path: { project_id: projectId } };
    const body = { place: setting.place, value };
    const answer = await call(api.PUT("/api/projects/{project_id}/settings", { params, body }));
    setChanged({ after: loaded.data, view: answer });
    if (setting.group === "models") await serverActions.rescan(projectId);
  };
  const rows = (settings: readonly SettingView[]) =>
    settings.map((setting) => (
      <SettingRow key={setting.place.join(".")} setting={setting} onChange={(value) => change(setting, value)} />
    ));

  if (loaded.problem && !view) return <p className="view view-problem">{loaded.problem}</p>;
  if (!view || !models) return <p className="page-loading">Loading…</p>;
  return (
    <div className="view settings">
      <nav className="settings-places" aria-label="Parts of the settings">
        <a href="#models">Models</a>
        <a href="#commands">Commands</a>
        <a href="#permissions">Permissions</a>
        <a href="#agents">Agents</a>
        <a href="#appearance">Appearance</a>
      </nav>
      <p className="view-quiet">
        Changes made here are saved in <code>{view.user_file}</code> and apply to all projects from the next turn on. This
        project may set some things itself, in <code>{view.project_file}</code>.
      </p>

      <section id="models" className="settings-part" aria-labelledby="settings-models">
        <h2 id="settings-models">Models</h2>
        <p role="status">{modelSentence(models)}</p>
        <ProbePanel projectId={projectId} models={models} />
        <details className="setup settings-ways" open={models.setup !== "ready"}>
          <summary>Use another model or server</summary>
          <ModelWays projectId={projectId} models={models} />
        </details>
        <h3>{groupTitles.models}</h3>
        <div className="settings-rows">{rows(shownIn(view, "models"))}</div>
        {view.model && (
          <details className="settings-more">
            <summary>Sampling and thinking of {view.model}</summary>
            <div className="settings-rows">{rows(view.of_model)}</div>
          </details>
        )}
      </section>

      <section id="commands" className="settings-part" aria-labelledby="settings-commands">
        <h2 id="settings-commands">{groupTitles.commands}</h2>
        <div className="settings-rows">{rows(shownIn(view, "commands"))}</div>
      </section>

      <section id="permissions" className="settings-part" aria-labelledby="settings-permissions">
        <h2 id="settings-permissions">Permissions, hooks and MCP servers</h2>
        <RulesPart projectId={projectId} userFile={view.user_file} />
      </section>

      <section id="agents" className="settings-part" aria-labelledby="settings-agents">
        <h2 id="settings-agents">{groupTitles.turns}</h2>
        <AgentList agents={agents} />
        <div className="settings-rows">{rows(shownIn(view, "turns"))}</div>
      </section>

      <section id="appearance" className="settings-part" aria-labelledby="settings-appearance">
        <h2 id="settings-appearance">{groupTitles.appearance}</h2>
        <Appearance />
        <div className="settings-rows">{rows(shownIn(view, "appearance"))}</div>
      </section>

      <section className="settings-part" aria-labelledby="settings-storage">
        <h2 id="settings-storage">{groupTitles.storage}</h2>
        <div className="settings-rows">{rows(shownIn(view, "storage"))}</div>
      </section>
    </div>
  );
}

const themeChoices: readonly { value: Theme; words: string }[] = [
  { value: "system", words: "Same as system" },
  { value: "light", words: "Light" },
  { value: "dark", words: "Dark" },
];

function Appearance() {
  const theme = useTheme();
  return (
    <div className="setting">
      <div className="setting-words">
        <p>Colours</p>
        <p className="view-quiet">Stored in this browser.</p>
      </div>
      <Segmented label="Colours" choices={themeChoices} chosen={theme} onChoose={chooseTheme} />
    </div>
  );
}

/** The section that the address names exists only once the settings are loaded. */
function useScrollToHash(ready: boolean): void {
  useEffect(() => {
    const name = window.location.hash.slice(1);
    if (ready && name) document.getElementById(name)?.scrollIntoView();
  }, [ready]);
}

function loadSettings(projectId: string): Promise<SettingsView> {
  return call(api.GET("/api/projects/{project_id}/settings", { params: { path: { project_id: projectId } } }));
}
