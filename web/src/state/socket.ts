/**
 * The page's one WebSocket. Frames are delivered in order, each once, at most once per animation frame. If frames were
 * lost, every view is asked to reload.
 */
import { api, call } from "../api/client";
import type { Envelope, SocketMessage } from "../api/types";
import {
  type Connection,
  type Known,
  SILENCE_LIMIT,
  SILENCE_LIMIT_ON_RETURN,
  connectionAfter,
  handleHello,
  socketAddress,
  takeNew,
  waitBefore,
} from "./link";

const batches = new Set<(envelopes: Envelope[]) => void>();
const reloads = new Set<() => void>();
const connections = new Set<(connection: Connection) => void>();

let known: Known | null = null;
let socket: WebSocket | null = null;
let greeted = false;
let failedAttempts = 0;
let retry: number | undefined;
let lastMessageAt = 0;
let due: Envelope[] = [];
let delivery: (() => void) | null = null;

/** Connect, starting after the frames that the loaded answers include. Does nothing the second time. */
export function connect(from: Known): void {
  if (known) return;
  known = from;
  window.addEventListener("online", onReturn);
  window.addEventListener("focus", onReturn);
  document.addEventListener("visibilitychange", onReturn);
  window.setInterval(() => {
    if (socket && Date.now() - lastMessageAt > SILENCE_LIMIT) restart();
  }, 5_000);
  open();
}

/** All frames of a moment at once; the cheapest way to listen. Returns a function that stops it. */
export function onEnvelopes(callback: (envelopes: Envelope[]) => void): () => void {
  return listen(batches, callback);
}

export function onEnvelope(callback: (envelope: Envelope) => void): () => void {
  return onEnvelopes((envelopes) => {
    envelopes.forEach(callback);
  });
}

/** Frames were lost, or the server restarted: everything has to be loaded again. */
export function onReload(callback: () => void): () => void {
  return listen(reloads, callback);
}

export function onConnection(callback: (connection: Connection) => void): () => void {
  return listen(connections, callback);
}

function listen<Callback>(listeners: Set<Callback>, callback: Callback): () => void {
  listeners.add(callback);
  return () => {
    listeners.delete(callback);
  };
}

function open(): void {
  if (!known || socket) return;
  window.clearTimeout(retry);
  greeted = false;
  lastMessageAt = Date.now();
  const opened = new WebSocket(socketAddress(window.location, known));
  socket = opened;
  opened.onmessage = (event: MessageEvent<string>) => {
    lastMessageAt = Date.now();
    handle(JSON.parse(event.data) as SocketMessage);
  };
  opened.onclose = () => {
    drop();
    if (!greeted) failedAttempts += 1;
    notify(connectionAfter(failedAttempts));
    retry = window.setTimeout(open, waitBefore(failedAttempts, Math.random()));
    // A refused handshake gives no reason. An ordinary request does, and leads to the login page if necessary.
    if (!greeted) call(api.GET("/api/server")).catch(() => undefined);
  };
}

/** Forget the socket before closing it, so that its events are ignored and there are never two. */
function drop(): void {
  if (!socket) return;
  socket.onmessage = null;
  socket.onclose = null;
  socket.close();
  socket = null;
}

function restart(): void {
  drop();
  notify("connecting");
  open();
}

/** The user, or the network, is back: don't make them wait for the next attempt. */
function onReturn(): void {
  if (document.visibilityState === "hidden") return;
  if (!socket) open();
  else if (Date.now() - lastMessageAt > SILENCE_LIMIT_ON_RETURN) restart();
}

function handle(message: SocketMessage): void {
  if (!known) return;
  if (message.type === "hello") {
    const greeting = handleHello(known, message);
    known = greeting.known;
    greeted = true;
    failedAttempts = 0;
    notify("open");
    if (greeting.reload) {
      due = [];
      reloads.forEach((callback) => {
        callback();
      });
    }
  } else if (message.type === "frames") {
    const news = takeNew(known, message.envelopes);
    known = news.known;
    due = due.concat(news.fresh);
    deliverSoon();
  }
}

/** A hidden page gets no animation frames, so a timer replaces them. */
function deliverSoon(): void {
  if (delivery) return;
  const deliver = () => {
    delivery?.();
    delivery = null;
    const envelopes = due;
    due = [];
    if (envelopes.length > 0) {
      batches.forEach((callback) => {
        callback(envelopes);
      });
    }
  };
  const frame = window.requestAnimationFrame(deliver);
  const timer = window.setTimeout(deliver, 250);
  delivery = () => {
    window.cancelAnimationFrame(frame);
    window.clearTimeout(timer);
  };
}

function notify(connection: Connection): void {
  connections.forEach((callback) => {
    callback(connection);
  });
}
