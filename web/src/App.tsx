import { useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";

import { Button } from "./components/Button";
import { Mark } from "./components/Mark";
import { LoginPage } from "./components/LoginPage";
import { Pages } from "./components/Pages";
import { Shell } from "./components/Shell";
import { routes, shownAt } from "./routes";
import { serverActions, useServer } from "./state/server";

export function App() {
  return (
    <Switch>
      <Route path={routes.login}>
        <LoginPage />
      </Route>
      <Route>
        <Workplace />
      </Route>
    </Switch>
  );
}

/** Everything that needs the server. Nothing is loaded before the page knows the number of the newest frame. */
function Workplace() {
  const server = useServer((state) => state.server);
  const problem = useServer((state) => state.problem);
  const [path] = useLocation();
  useEffect(() => {
    if (!useServer.getState().server) void serverActions.start();
  }, []);

  if (!server) return <Beginning problem={problem} />;
  const first = server.projects[0];
  const shown = shownAt(path);
  if (path === "/" && first) return <Redirect to={routes.project(first.id)} replace />;
  if (!shown || !server.projects.some((each) => each.id === shown.projectId)) {
    return <Nowhere home={first ? routes.project(first.id) : "/"} />;
  }
  return (
    <Shell shown={shown}>
      <Pages shown={shown} />
    </Shell>
  );
}

function Beginning({ problem }: { problem: string | null }) {
  return (
    <main className="page-alone">
      <h1>
        <Mark size={32} /> Mulligan
      </h1>
      {problem ? (
        <>
          <p role="alert">{problem}</p>
          <p>
            Is <code>mulligan serve</code> running?
          </p>
          <Button look="primary" onClick={() => void serverActions.start()}>
            Try again
          </Button>
        </>
      ) : (
        <p role="status">Loading…</p>
      )}
    </main>
  );
}

function Nowhere({ home }: { home: string }) {
  return (
    <main className="page-alone">
      <h1>Nothing here</h1>
      <p>There is no project, chat or run at this address.</p>
      <a href={home}>Go to the first project</a>
    </main>
  );
}
