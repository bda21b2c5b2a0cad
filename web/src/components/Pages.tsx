import { type ReactNode, Suspense, lazy, useEffect } from "react";

import { type Shown, shownAt } from "../routes";
import { ErrorBoundary } from "./ErrorBoundary";
import { NewChatPage } from "./NewChatPage";

// Most visits start with a new chat, so its code comes first; other pages load on demand, chats while the page is idle.
const loadChatPage = () => import("./ChatPage").then((module) => ({ default: module.ChatPage }));
const ChatPage = lazy(loadChatPage);
// A chat that is opened by its address loads its code without waiting for the server's first answer.
if (shownAt(window.location.pathname)?.view === "chat") void loadChatPage().catch(() => undefined);
const SettingsPage = lazy(() => import("../settings/SettingsPage").then((module) => ({ default: module.SettingsPage })));
const ChangesPage = lazy(() => import("../changes/ChangesPage").then((module) => ({ default: module.ChangesPage })));
const RunsPage = lazy(() => import("../runs/RunsPage").then((module) => ({ default: module.RunsPage })));
const RunPage = lazy(() => import("../runs/RunPage").then((module) => ({ default: module.RunPage })));
const FleetPage = lazy(() => import("../fleet/FleetPage").then((module) => ({ default: module.FleetPage })));
const JobPage = lazy(() => import("../fleet/JobPage").then((module) => ({ default: module.JobPage })));
const MapPage = lazy(() => import("../map/MapPage").then((module) => ({ default: module.MapPage })));
const CheckpointsPage = lazy(() =>
  import("../checkpoints/CheckpointsPage").then((module) => ({ default: module.CheckpointsPage })),
);

/** Milliseconds until a chat's code is loaded, even if none is open. */
const SOON = 1_500;

export function Pages({ shown }: { shown: Shown }) {
  useEffect(() => {
    const timer = window.setTimeout(() => void loadChatPage().catch(() => undefined), SOON);
    return () => {
      window.clearTimeout(timer);
    };
  }, []);
  return (
    <ErrorBoundary key={`${shown.projectId}/${shown.view}/${shown.id ?? ""}`}>
      <Suspense fallback={<p className="page-loading">Loading…</p>}>{page(shown)}</Suspense>
    </ErrorBoundary>
  );
}

function page({ projectId, view, id }: Shown): ReactNode {
  switch (view) {
    case "new":
      return <NewChatPage projectId={projectId} />;
    case "chat":
      return <ChatPage projectId={projectId} chatId={id ?? ""} />;
    case "changes":
      return <ChangesPage projectId={projectId} />;
    case "runs":
      return <RunsPage projectId={projectId} />;
    case "run":
      return <RunPage projectId={projectId} runId={id ?? ""} />;
    case "fleet":
      return <FleetPage projectId={projectId} />;
    case "job":
      return <JobPage projectId={projectId} jobId={id ?? ""} />;
    case "map":
      return <MapPage projectId={projectId} />;
    case "checkpoints":
      return <CheckpointsPage projectId={projectId} />;
    case "settings":
      return <SettingsPage projectId={projectId} />;
  }
}
