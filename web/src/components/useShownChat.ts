import type { ChatView } from "../api/types";
import type { Shown } from "../routes";
import { useChats } from "../state/chatStore";
import { useServer } from "../state/server";

/** The open chat, if any. A run's chat is in no list, so its loaded detail is used. */
export function useShownChat({ projectId, view, id }: Shown): ChatView | undefined {
  const listed = useServer((state) => state.chats[projectId]?.find((each) => each.id === id));
  const loaded = useChats((state) => state.chats[id ?? ""]?.detail.chat);
  return view === "chat" ? (listed ?? loaded) : undefined;
}
