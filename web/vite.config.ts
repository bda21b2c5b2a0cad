import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

import { diagramPage } from "./diagramPage.mjs";

// The page is built into the Python package, so that whoever installs it needs no Node.
export default defineConfig({
  plugins: [react(), diagramPage()],
  build: {
    outDir: "../src/mulligan/server/page",
    emptyOutDir: true,
    target: "es2022",
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8383", ws: true } } },
});
