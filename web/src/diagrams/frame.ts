/**
 * Runs in a diagram's frame, which has no origin, no network and no way to the page but these messages. The text may be
 * hostile: the library sanitizes it, the frame's policy runs no script but this one, and no link works.
 */
import mermaid from "mermaid";

import { type DrawRequest, type FrameMessage, readDrawRequest } from "./protocol";

/** Below this share of its own size a diagram is not readable: it scrolls instead. */
const MIN_SCALE = 0.6;

/** Characters. For a longer text the library would draw an error. */
const MAX_CHARS = 50_000;

/** Settings that a text may not change. The first six are the library's own list, which this one replaces. */
const OURS = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "suppressErrorRendering",
  "maxEdges",
  "themeCSS",
  "htmlLabels",
  "dompurifyConfig",
  "fontFamily",
  "altFontFamily",
  "logLevel",
];

const STYLE = `
  html { background: transparent; }
  body { margin: 0; }
  main { box-sizing: border-box; padding: 12px; overflow-x: auto; text-align: center; }
`;

const drawing = document.createElement("main");
const style = document.createElement("style");
style.textContent = STYLE;
document.head.append(style);
document.body.append(drawing);

function tell(message: FrameMessage): void {
  // Only our own page may hold this frame, and nothing sent here is secret.
  window.parent.postMessage(message, "*");
}

function tellHeight(): void {
  const height = drawing.getBoundingClientRect().height;
  if (drawing.firstElementChild && height > 0) tell({ type: "drawn", height });
}

async function draw({ source, dark }: DrawRequest): Promise<void> {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    secure: OURS,
    dompurifyConfig: { FORBID_TAGS: ["style", "img"] },
    suppressErrorRendering: true,
    theme: dark ? "dark" : "default",
    fontFamily: "system-ui, sans-serif",
    logLevel: "fatal",
  });
  if (source.length > MAX_CHARS) throw new Error("too long to be drawn");
  const { svg } = await mermaid.render("diagram", source);
  drawing.innerHTML = svg;
  for (const link of drawing.querySelectorAll("a")) {
    for (const name of link.getAttributeNames()) if (/href$/.test(name)) link.removeAttribute(name);
  }
  const picture = drawing.querySelector("svg");
  const width = picture?.viewBox.baseVal.width ?? 0;
  if (picture && width > 0) picture.style.minWidth = `${String(Math.round(width * MIN_SCALE))}px`;
  drawing.tabIndex = drawing.scrollWidth > drawing.clientWidth ? 0 : -1;
  tellHeight();
}

let last = Promise.resolve();

window.addEventListener("message", (event) => {
  const request = event.source === window.parent ? readDrawRequest(event.data) : null;
  if (!request) return;
  last = last
    .then(() => draw(request))
    .catch((error: unknown) => {
      console.info("This diagram can't be drawn:", error);
      tell({ type: "failed" });
    });
});
new ResizeObserver(tellHeight).observe(drawing);
tell({ type: "ready" });
