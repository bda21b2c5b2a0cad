// Watches the tests of Node's own runner, with the coverage that V8 has built in. Node requires it before a test file.
"use strict";

const fs = require("fs");
const path = require("path");

const RUNS_TESTS = process.env.NODE_TEST_CONTEXT !== undefined; // not in the runner itself, nor in other programs

function watch() {
  const { Session } = require("inspector");
  const { fileURLToPath } = require("url");
  const { beforeEach, afterEach } = require("node:test");
  const wanted = JSON.parse(fs.readFileSync(path.join(__dirname, "wanted.json"), "utf8"));
  const root = fs.realpathSync(wanted.root) + path.sep;
  const session = new Session();
  const sources = new Map();
  let left = wanted.most;
  let end = Infinity;

  session.connect();
  session.post("Debugger.enable"); // tells what Node runs of a file
  session.post("Debugger.setSkipAllPauses", { skip: true });
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

  const taken = () => {
    let scripts = [];
    session.post("Profiler.takePreciseCoverage", (error, done) => {
      scripts = error ? [] : done.result;
    });
    return scripts;
  };

  // The project's own path of a script; undefined for others.
  const nameOf = (url) => {
    if (!url.startsWith("file://") || url.includes("/node_modules/")) return undefined;
    const file = fileURLToPath(url);
    const isOwn = file.startsWith(root) && fs.existsSync(file);
    return isOwn ? file.slice(root.length).split(path.sep).join("/") : undefined;
  };

  // Undefined for a script with other lines than its file, because it was transpiled. Node itself replaces types by
  // spaces.
  const readSource = (scriptId, name) => {
    let text = "";
    session.post("Debugger.getScriptSource", { scriptId }, (error, done) => {
      if (!error) text = done.scriptSource;
    });
    const widths = widthsOf(text);
    const isAsWritten = widthsOf(fs.readFileSync(root + name, "utf8")).every((each, at) => each === widths[at]);
    return isAsWritten ? text : undefined;
  };

  const widthsOf = (text) => text.replace(/^\uFEFF/, "").split("\n").map((line) => line.length);

  const sourceOf = ({ scriptId, url }) => {
    if (!sources.has(scriptId)) {
      const name = nameOf(url);
      sources.set(scriptId, name && { name, text: readSource(scriptId, name) });
    }
    return sources.get(scriptId);
  };

  // Wide ranges first, those within them over them: what is left is how often each character ran.
  const linesOf = (text, functions) => {
    const ranges = functions.flatMap((each) => each.ranges);
    ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
    const ran = new Uint8Array(text.length);
    for (const each of ranges) ran.fill(each.count > 0 ? 1 : 0, each.startOffset, each.endOffset);
    const lines = new Set();
    let line = 1;
    for (let at = 0; at < text.length; at += 1) {
      if (text[at] === "\n") line += 1;
      else if (ran[at] && !/[\s{}()\];,]/.test(text[at])) lines.add(line);
    }
    return [...lines];
  };

  // Undefined for a failed `todo`. Reporters may name a test without its suites, so another test of this name may have
  // failed. In an old Node, `error` is undefined.
  const hasPassed = (test) => {
    if (test.error === null) return true;
    if (wanted.failing.some((id) => id === test.name || id.endsWith(` > ${test.name}`))) return false;
    return test.error === undefined ? true : undefined;
  };

  beforeEach(() => {
    if (end === Infinity) end = Date.now() + wanted.seconds * 1000;
    taken();
  });
  afterEach((test) => {
    const passed = hasPassed(test);
    if (passed === undefined || left <= 0 || Date.now() > end) return;
    const lines = {};
    for (const script of taken()) {
      const source = sourceOf(script);
      if (source && source.text === undefined) return; // its functions would seem not to have run
      const mine = source ? linesOf(source.text, script.functions) : [];
      if (mine.length) lines[source.name] = mine;
    }
    left -= 1;
    const fullName = test.fullName || test.name; // with its suites, unless Node is old
    const record = { test: `${process.argv[1]} > ${fullName}`, passed, lines };
    fs.appendFileSync(path.join(__dirname, `${process.pid}.jsonl`), JSON.stringify(record) + "\n");
  });
}

if (RUNS_TESTS) {
  try {
    watch();
  } catch (error) {
    // An old Node, or one without an inspector: the tests run all the same.
  }
}
