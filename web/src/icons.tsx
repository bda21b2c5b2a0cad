/** Drawn on a grid of 16, with the stroke of the text next to them. An icon never replaces a word. */
const paths = {
  arrowDown: "M8 2.5v11 M3.5 9 8 13.5 12.5 9",
  arrowLeft: "M13.5 8h-11 M7 3.5 2.5 8 7 12.5",
  arrowRight: "M2.5 8h11 M9 3.5 13.5 8 9 12.5",
  arrowUp: "M8 13.5v-11 M3.5 7 8 2.5 12.5 7",
  ban: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z M3.8 3.8l8.4 8.4",
  chat: "M2.5 3h11v8h-6l-3 2.5V11h-2Z",
  check: "M2.5 8.5 6 12l7.5-8",
  chevronDown: "M4 6l4 4 4-4",
  chevronRight: "M6 4l4 4-4 4",
  circle: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z M8 4.5V8l2.5 1.5",
  close: "M3.5 3.5l9 9 M12.5 3.5l-9 9",
  code: "M5.5 4 1.5 8l4 4 M10.5 4l4 4-4 4",
  compress: "M2.5 6h11 M2.5 10h11 M8 1v3.5 M6 3l2 1.8L10 3 M8 15v-3.5 M6 13l2-1.8 2 1.8",
  copy: "M5.5 5.5h8v8h-8Z M10.5 5.5v-3h-8v8h3",
  diff: "M8 2v6 M5 5h6 M5 12h6",
  download: "M8 2v8 M4.5 7 8 10.5 11.5 7 M2.5 13.5h11",
  edit: "M2.5 13.5 3 10.5 10.5 3l2.5 2.5L5.5 13Z",
  external: "M9.5 2.5h4v4 M13.5 2.5 8 8 M11.5 9v4.5h-9v-9H7",
  file: "M3.5 1.5h6l3 3v10h-9Z M9.5 1.5v3h3",
  flag: "M3.5 14.5v-13 M3.5 2.5h9l-2 3 2 3h-9",
  fleet: "M2 2.5h12v4H2Z M2 9.5h12v4H2Z M4.5 4.5h.1 M4.5 11.5h.1",
  folder: "M1.5 3.5h5l1.5 2h6.5v8h-13Z",
  image: "M2 3h12v10H2Z M2 11l3.5-3.5L8.5 10.5l2-2L14 12 M10.5 5.5h.1",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z M8 7.3v3.7 M8 4.9v.1",
  keyboard: "M1.5 4h13v8h-13Z M4 6.5h.1 M6.6 6.5h.1 M9.3 6.5h.1 M11.9 6.5h.1 M5 9.5h6",
  loop: "M3 8a5 5 0 0 1 8.7-3.3L13 6 M13 2.5V6H9.5 M13 8a5 5 0 0 1-8.7 3.3L3 10 M3 13.5V10h3.5",
  map: "M1.5 4 6 2l4 2 4.5-2v10L10 14l-4-2-4.5 2Z M6 2v10 M10 4v10",
  menu: "M2 4h12 M2 8h12 M2 12h12",
  minus: "M3 8h10",
  more: "M3.5 8h.1 M8 8h.1 M12.5 8h.1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  panel: "M1.5 3h13v10h-13Z M10 3v10",
  pause: "M5.5 3v10 M10.5 3v10",
  play: "M4.5 2.5v11l9-5.5Z",
  plus: "M8 3v10 M3 8h10",
  question: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z M6.3 6.3A1.8 1.8 0 1 1 8 8.5v.7 M8 11.3v.1",
  retry: "M13 8a5 5 0 1 1-1.5-3.6L13 6 M13 2.5V6H9.5",
  run: "M3.5 1.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z M12.5 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z M3.5 10.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z M5.2 3.5h3l2.5 3.4 M5.2 12.5h3l2.5-3.4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Z M10.3 10.3l3.7 3.7",
  send: "M8 13.5v-11 M3.5 7 8 2.5 12.5 7",
  settings: "M2 4.5h6.5 M12 4.5h2 M10.2 2.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z M2 11.5h2 M7.5 11.5H14 M5.8 9.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z",
  stop: "M4 4h8v8H4Z",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6Z M8 1v1.6 M8 13.4V15 M1 8h1.6 M13.4 8H15 M3 3l1.2 1.2 M11.8 11.8 13 13 M3 13l1.2-1.2 M11.8 4.2 13 3",
  synthesis: "M2.5 3h4.5L9 8h4.5 M2.5 13H7l2-5 M11.5 6l2 2-2 2",
  system: "M1.5 2.5h13v8.5h-13Z M5.5 13.5h5 M8 11v2.5",
  terminal: "M1.5 2.5h13v11h-13Z M4 6l2.5 2L4 10 M8 10.5h3.5",
  thought: "M5 12.5h6 M6.3 14.5h3.4 M8 1.5a4.5 4.5 0 0 0-2.4 8.3V11h4.8V9.8A4.5 4.5 0 0 0 8 1.5Z",
  tool: "M9.5 2.2a3.8 3.8 0 0 1 4.3 5L9.5 7 9 6.5Z M9.3 6.7 3 13",
  trash: "M2.5 4h11 M6 4V2h4v2 M4 4l.7 10h6.6L12 4",
  undo: "M3 6h6.5a3.5 3.5 0 0 1 0 7H6 M6 2.5 2.5 6 6 9.5",
  warning: "M8 2 14.5 13.5H1.5Z M8 6.5v3 M8 11.6v.1",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
