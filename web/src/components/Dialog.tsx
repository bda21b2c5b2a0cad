import { type ReactNode, useEffect, useId, useRef } from "react";

import { IconButton } from "./Button";

interface DialogProps {
  title: string;
  /** Called however it is closed: by its button, by Escape, by a click outside. */
  onClose: () => void;
  /** For screen readers only; the content has a field or heading of its own. */
  bare?: boolean;
  className?: string;
  children: ReactNode;
}

/** A modal dialog, open for as long as it is rendered. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({ title, onClose, bare = false, className = "", children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // React's autoFocus runs before the dialog opens, when nothing in it can have the focus.
    element?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    return () => {
      element?.close();
      // React may have removed the dialog before the browser could return the focus.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`.trim()}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className={bare ? "visually-hidden" : "dialog-header"}>
          <h2 id={heading}>{title}</h2>
          {!bare && <IconButton icon="close" label="Close" onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}
