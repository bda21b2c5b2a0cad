import { useState } from "react";
import { useLocation } from "wouter";

import { logIn, wordsFor } from "../api/client";
import { serverActions } from "../state/server";
import { Button } from "./Button";
import { Mark } from "./Mark";

/** Asks for the token of a server on another machine. */
export function LoginPage() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [, navigate] = useLocation();

  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await logIn(token.trim());
      await serverActions.start();
      navigate("/", { replace: true });
    } catch (thrown) {
      setProblem(wordsFor(thrown));
      setBusy(false);
    }
  };

  return (
    <main className="page-alone">
      <h1>
        <Mark size={32} /> Mulligan
      </h1>
      <form
        className="login"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={token}
          aria-describedby="token-hint"
          onChange={(event) => {
            setToken(event.target.value);
          }}
        />
        <p id="token-hint" className="login-hint">
          It was printed when the server was first started. <code>mulligan serve --new-token</code> creates a new one.
        </p>
        {problem && <p role="alert">{problem}</p>}
        <Button look="primary" submit disabled={busy || !token.trim()}>
          {busy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
    </main>
  );
}
