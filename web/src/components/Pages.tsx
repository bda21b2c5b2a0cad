import { type ReactNode, Suspense, lazy } from "react";

import type { Shown } from "../routes";
import { ChatPage } from "./ChatPage";
import { ErrorBoundary } from "./ErrorBoundary";
import { NewChatPage } from "./NewChatPage";

// A chat is what one opens the page for; the rest comes when it is wanted.
const ChangesPage = lazy(() => import("../changes/ChangesPage").then((module) => ({ default: module.ChangesPage })));
const RunsPage = lazy(() => import("../runs/RunsPage").then((module) => ({ default: module.RunsPage })));
const RunPage = lazy(() => import("../runs/RunPage").then((module) => ({ default: module.RunPage })));
const MapPage = lazy(() => import("../map/MapPage").then((module) => ({ default: module.MapPage })));
const CheckpointsPage = lazy(() =>
  import("../checkpoints/CheckpointsPage").then((module) => ({ default: module.CheckpointsPage })),
);

export function Pages({ shown }: { shown: Shown }) {
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
    case "map":
      return <MapPage projectId={projectId} />;
    case "checkpoints":
      return <CheckpointsPage projectId={projectId} />;
  }
}
