import type { ReactNode } from "react";

import { Dialog } from "./Dialog";

/** The sidebar on a narrow screen. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog title="Projects and chats" className="drawer" bare onClose={onClose}>
      {children}
    </Dialog>
  );
}
