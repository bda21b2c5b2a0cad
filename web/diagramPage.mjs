/**
 * The page in which a diagram is drawn: one file with the library in it, so that it needs nothing more from anywhere.
 * Its address is what `virtual:diagram-page` gives.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

import { build } from "vite";

const MODULE = "virtual:diagram-page";
const RESOLVED = `\0${MODULE}`;
const LEFT_OUT = "\0left-out";
const IN_DEVELOPMENT = "/diagram.html";

/** Diagrams that models write. The others, and what only they need, would double the size; they are shown as text. */
const DRAWN =
  /\/((flow|sequence|class|state|er|gantt|journey|quadrant|xychart|requirement|pie|gitGraph)Diagram|timeline|dagre|pie|gitGraph)-/;

export function diagramPage() {
  let building = false;
  return {
    name: "diagram-page",
    configResolved(config) {
      building = config.command === "build";
    },
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    async load(id) {
      if (id !== RESOLVED) return null;
      if (!building) return `export default ${JSON.stringify(IN_DEVELOPMENT)}`;
      const file = this.emitFile({ type: "asset", name: "diagram.html", source: pageOf(await script()) });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
    configureServer(server) {
      server.middlewares.use(IN_DEVELOPMENT, (_request, response, next) => {
        script().then((code) => response.setHeader("Content-Type", "text/html").end(pageOf(code)), next);
      });
    },
  };
}

/** The server forbids the same in a header; only the hash is known no earlier than here. */
function pageOf(code) {
  const hash = createHash("sha256").update(code).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; base-uri 'none'`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Diagram</title>
<body>
<script>${code}</script>
</html>
`;
}

async function script() {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    plugins: [{ name: "drawn-only", enforce: "pre", resolveDynamicImport: onlyDrawn, load: nothing }],
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rollupOptions: {
        input: join(import.meta.dirname, "src/diagrams/frame.ts"),
        output: { format: "iife", inlineDynamicImports: true },
      },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) => ("output" in each ? each.output : []));
  const [only, ...others] = outputs;
  if (only?.type !== "chunk" || others.length > 0) throw new Error("the script of a diagram must be one file");
  // What would end the script or begin a comment in HTML; a carriage return would be read as another letter.
  return only.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3C!--").replaceAll("\r", "");
}

function onlyDrawn(wanted) {
  return typeof wanted !== "string" || DRAWN.test(wanted) ? null : LEFT_OUT;
}

function nothing(id) {
  return id === LEFT_OUT ? "export default undefined" : null;
}
