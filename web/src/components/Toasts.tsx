import { useEffect, useState } from "react";

import { type ToastMessage, serverActions, useServer } from "../state/server";
import { IconButton } from "./Button";

const LASTS = 8_000;

/** Short messages from the server. */
export function Toasts() {
  const toasts = useServer((state) => state.toasts);
  return (
    <div className="toasts" role="status">
      {toasts.map((each) => (
        <Toast key={each.id} message={each} />
      ))}
    </div>
  );
}

/** It stays while the pointer or the focus is in it. */
function Toast({ message }: { message: ToastMessage }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => {
      serverActions.dismiss(message.id);
    }, LASTS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [held, message.id]);

  const hold = () => {
    setHeld(true);
  };
  const letGo = () => {
    setHeld(false);
  };
  return (
    <div className="toast" onMouseEnter={hold} onMouseLeave={letGo} onFocus={hold} onBlur={letGo}>
      <p>{message.text}</p>
      {message.action && (
        <button
          type="button"
          className="text-button"
          onClick={() => {
            message.action?.run();
            serverActions.dismiss(message.id);
          }}
        >
          {message.action.label}
        </button>
      )}
      <IconButton
        icon="close"
        label="Dismiss"
        onClick={() => {
          serverActions.dismiss(message.id);
        }}
      />
    </div>
  );
}
