import { Link } from "wouter";

import type { ProjectView } from "../api/types";
import { Icon, type IconName } from "../icons";
import { type Shown, type View, routes } from "../routes";
import { useRunning } from "../state/runs";
import { useProject, useServer } from "../state/server";
import { Mark } from "./Mark";
import { SidebarChats } from "./SidebarChats";

interface SidebarProps {
  shown: Shown;
  /** Called when something was chosen, so that a drawer can close. */
  onChosen?: () => void;
}

export function Sidebar({ shown, onChosen }: SidebarProps) {
  const projects = useServer((state) => state.server?.projects) ?? [];
  const open = projects.find(({ id }) => id === shown.projectId);
  const others = projects.filter((project) => project !== open);
  const version = useServer((state) => state.server?.version);
  return (
    <nav
      className="sidebar"
      aria-label="Projects and chats"
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a")) onChosen?.();
      }}
    >
      {open && <OpenProject project={open} shown={shown} />}
      {others.length > 0 && (
        <section className="sidebar-others" aria-label="Other projects">
          <h3 className="sidebar-heading">Other projects</h3>
          {others.map((project) => (
            <Link key={project.id} href={routes.project(project.id)} className="sidebar-project" title={project.path}>
              <Icon name="folder" />
              <span>{project.name}</span>
            </Link>
          ))}
        </section>
      )}
      <p className="sidebar-foot">
        <Mark /> Mulligan {version}
      </p>
    </nav>
  );
}

function OpenProject({ project, shown }: { project: ProjectView; shown: Shown }) {
  const { id, name, path, git } = project;
  const { pending, chats } = useProject(id);
  const running = useRunning(id).length;
  const fleet = useServer((state) => state.server?.fleet) ?? false;
  const isNew = shown.view === "new";
  return (
    <section className="sidebar-open" aria-label={name}>
      <h2 className="sidebar-project sidebar-project-open" title={path}>
        <Icon name="chevronDown" />
        <span>{name}</span>
      </h2>
      <Link href={routes.project(id)} className="sidebar-new" aria-current={isNew ? "page" : undefined}>
        <Icon name="plus" />
        <span>New chat</span>
      </Link>
      <ul className="sidebar-views">
        <ViewLink shown={shown} view="changes" icon="diff" href={routes.changes(id)} count={pending}>
          Changes
        </ViewLink>
        {git && (
          <ViewLink shown={shown} view="runs" icon="run" href={routes.runs(id)} running={running}>
            Runs
          </ViewLink>
        )}
        {fleet && (
          <ViewLink shown={shown} view="fleet" icon="fleet" href={routes.fleet(id)}>
            Fleet
          </ViewLink>
        )}
        <ViewLink shown={shown} view="map" icon="map" href={routes.map(id)}>
          Map
        </ViewLink>
        {git && (
          <ViewLink shown={shown} view="checkpoints" icon="flag" href={routes.checkpoints(id)}>
            Checkpoints
          </ViewLink>
        )}
        <ViewLink shown={shown} view="settings" icon="settings" href={routes.settings(id)}>
          Settings
        </ViewLink>
      </ul>
      {!git && <p className="sidebar-note">Not a git repository: no checkpoints, no runs, no external agents.</p>}
      <div className="sidebar-scroll">
        <SidebarChats chats={chats} shown={shown} />
      </div>
    </section>
  );
}

const PART_OF: Partial<Record<View, View>> = { run: "runs", job: "fleet" };

interface ViewLinkProps {
  shown: Shown;
  view: View;
  icon: IconName;
  href: string;
  count?: number;
  running?: number;
  children: string;
}

function ViewLink({ shown, view, icon, href, count = 0, running = 0, children }: ViewLinkProps) {
  const within = shown.view === view || PART_OF[shown.view] === view;
  return (
    <li>
      <Link href={href} className="sidebar-view" aria-current={within ? "page" : undefined}>
        <Icon name={icon} />
        <span>{children}</span>
        {count > 0 && (
          <span className="sidebar-count">
            {count}
            <span className="visually-hidden"> pending</span>
          </span>
        )}
        {running > 0 && <span className="sidebar-running">{running} running</span>}
      </Link>
    </li>
  );
}
