import { type ReactNode, useEffect, useState } from "react";

import { RestoreDialog } from "../checkpoints/RestoreDialog";
import { RestoredLine } from "../checkpoints/RestoredLine";
import { tabMark } from "../chatList";
import { useNotifications } from "../notifying";
import { type Shown, viewNames } from "../routes";
import { useServer } from "../state/server";
import { useCommands } from "../useCommands";
import { ConnectionBanner } from "./ConnectionBanner";
import { Drawer } from "./Drawer";
import { Header } from "./Header";
import { Palette } from "./Palette";
import { Pulls } from "./Pulls";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { Sidebar } from "./Sidebar";
import { Toasts } from "./Toasts";
import { useShownChat } from "./useShownChat";

type Open = "palette" | "help" | "drawer" | null;

/** The frame around every view. */
export function Shell({ shown, children }: { shown: Shown; children: ReactNode }) {
  const [open, setOpen] = useState<Open>(null);
  useCommands(shown, setOpen);
  useTitle(shown);
  const close = () => {
    setOpen(null);
  };

  return (
    <div className="shell">
      <a className="shell-skip" href="#main">
        Skip to the content
      </a>
      <div className="shell-sidebar">
        <Sidebar shown={shown} />
      </div>
      <div className="shell-column">
        <Header shown={shown} onOpen={setOpen} />
        <ConnectionBanner />
        <main id="main" className="shell-main" tabIndex={-1}>
          {children}
        </main>
      </div>
      {open === "drawer" && (
        <Drawer onClose={close}>
          <Sidebar shown={shown} onChosen={close} />
        </Drawer>
      )}
      {open === "palette" && <Palette shown={shown} onClose={close} />}
      {open === "help" && <ShortcutsDialog onClose={close} />}
      <RestoreDialog />
      <div className="shell-notes">
        <RestoredLine />
        <Pulls />
        <Toasts />
      </div>
    </div>
  );
}

function useTitle(shown: Shown): void {
  const chat = useShownChat(shown);
  const title = chat?.title ?? viewNames[shown.view];
  const mark = useServer((state) => tabMark(Object.values(state.chats).flat(), state.asks));
  useEffect(() => {
    document.title = `${mark}${title} · Mulligan`;
  }, [title, mark]);
  useNotifications(titleOfChat);
}

function titleOfChat(chatId: string): string | undefined {
  return Object.values(useServer.getState().chats)
    .flat()
    .find((chat) => chat.id === chatId)?.title;
}
