/** Loads chats from the server: the whole chat, or the stored state of its newest turn. */
import { api, call, wordsFor } from "../api/client";
import type { Envelope } from "../api/types";
import { FrameBuffer } from "./frameBuffer";
import { get, setProblem, update, watched } from "./chatStore";
import { foldAll, fromDetail } from "./fold";
import { FrameCounter } from "./frameCounter";
import { SENDING } from "./messages";
import { accepted, restoreQuestion, returnToComposer, show } from "./sending";
import { settleAfter, settled, whatToLoad, withChanges, withEarlier } from "./settle";

/** Messages that a chat opens with; more load automatically if they don't fill the screen. */
const FIRST = 40;
const PAGE = 100;
/** The server's limit for one request. */
const WHOLE_TURN = 1000;
/** Milliseconds between requests if another process answers, because then no frames arrive. */
const POLL_INTERVAL = 3_000;

export const frameBuffer = new FrameBuffer();
/** By project. */
export const changeFrames = new FrameCounter();
const settling = new Map<string, "once" | "again">();
const polls = new Map<string, number>();

export async function load(chatId: string): Promise<void> {
  const loading = frameBuffer.begin(chatId);
  try {
    const detail = await ask(chatId, { limit: FIRST });
    const buffered = frameBuffer.end(chatId, loading);
    if (!buffered) return;
    show(chatId, foldAll(fromDetail(detail), buffered));
    restoreQuestion(chatId, detail);
    pollIfElsewhere(chatId);
    await loadChanges(chatId);
    // These may be newer than the answer: a turn can end while its chat is loading.
    await loadMore(
      chatId,
      buffered.filter(({ seq }) => seq > detail.seq),
    );
  } catch (thrown) {
    if (frameBuffer.end(chatId, loading)) setProblem(chatId, wordsFor(thrown));
  }
}

/** Load what frames announce but do not contain. */
export async function loadMore(chatId: string, envelopes: readonly Envelope[]): Promise<void> {
  const wanted = whatToLoad(envelopes.map(({ frame }) => frame));
  if (wanted === "chat") await load(chatId);
  else if (wanted === "turn") await settle(chatId);
}

export async function loadEarlier(chatId: string): Promise<void> {
  const first = get(chatId)?.messages[0];
  if (!first || !get(chatId)?.detail.earlier) return;
  const detail = await ask(chatId, { before: first.seq, limit: PAGE });
  update(chatId, (state) => (state.messages[0]?.seq === first.seq ? withEarlier(state, detail) : state));
}

/** Load the stored state of the newest turn. Requests during a load are answered by one more load at the end. */
export async function settle(chatId: string): Promise<void> {
  if (settling.has(chatId)) {
    settling.set(chatId, "again");
    return;
  }
  settling.set(chatId, "once");
  try {
    await settleOnce(chatId);
    await loadChanges(chatId);
  } catch {
    // The state from frames stays until the next load.
  }
  const again = settling.get(chatId) === "again";
  settling.delete(chatId);
  if (again) await settle(chatId);
}

async function settleOnce(chatId: string): Promise<void> {
  const state = get(chatId);
  if (!state || frameBuffer.loading(chatId)) return;
  const after = settleAfter(state);
  const unconfirmed = accepted.has(chatId) ? state.messages.find((each) => each.id === SENDING) : undefined;
  const loading = frameBuffer.begin(chatId);
  const detail = await ask(chatId, { after, limit: WHOLE_TURN }).catch((thrown: unknown) => {
    frameBuffer.end(chatId, loading);
    throw thrown;
  });
  const buffered = frameBuffer.end(chatId, loading);
  if (!buffered) return;
  // Not one that was sent later: this answer can't include it.
  if (unconfirmed && !detail.chat.busy && get(chatId)?.messages.includes(unconfirmed)) returnToComposer(chatId);
  update(chatId, (now) => foldAll(settled(now, detail, after), buffered));
  pollIfElsewhere(chatId);
}

function ask(chatId: string, query: { before?: number; after?: number; limit: number }) {
  return call(api.GET("/api/chats/{chat_id}", { params: { path: { chat_id: chatId }, query } }));
}

async function loadChanges(chatId: string): Promise<void> {
  const projectId = get(chatId)?.detail.chat.project_id;
  if (!projectId) return;
  const params = { path: { project_id: projectId }, query: { chat_id: chatId } };
  const changes = await changeFrames.newest(projectId, () =>
    call(api.GET("/api/projects/{project_id}/changes", { params })),
  );
  update(chatId, (state) => withChanges(state, changes));
}

/** If another process answers, poll as long as a view is open. */
export function pollIfElsewhere(chatId: string): void {
  window.clearTimeout(polls.get(chatId));
  polls.delete(chatId);
  if (!get(chatId)?.detail.elsewhere || !watched.get(chatId)) return;
  polls.set(
    chatId,
    window.setTimeout(() => void settle(chatId), POLL_INTERVAL),
  );
}
