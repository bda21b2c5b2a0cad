import { useEffect, useState } from "react";

import { type Told, serverActions, useServer } from "../state/server";
import { IconButton } from "./Button";

const LASTS = 8_000;

/** Short messages from the server. */
export function Toasts() {
  const told = useServer((state) => state.told);
  return (
    <div className="toasts" role="status">
      {told.map((each) => (
        <Toast key={each.id} told={each} />
      ))}
    </div>
  );
}

/** It stays while the pointer or the focus is in it. */
function Toast({ told }: { told: Told }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => {
      serverActions.dismiss(told.id);
    }, LASTS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [held, told.id]);

  const hold = () => {
    setHeld(true);
  };
  const letGo = () => {
    setHeld(false);
  };
  return (
    <div className="toast" onMouseEnter={hold} onMouseLeave={letGo} onFocus={hold} onBlur={letGo}>
      <p>{told.text}</p>
      {told.action && (
        <button
          type="button"
          className="text-button"
          onClick={() => {
            told.action?.run();
            serverActions.dismiss(told.id);
          }}
        >
          {told.action.label}
        </button>
      )}
      <IconButton
        icon="close"
        label="Dismiss"
        onClick={() => {
          serverActions.dismiss(told.id);
        }}
      />
    </div>
  );
}
