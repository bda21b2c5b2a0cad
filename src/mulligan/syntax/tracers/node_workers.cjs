// Runs the tests of one `node --test` command for many versions of the project's files after one start: each test file
// in a worker thread, where otherwise it is a process of its own. Node requires it before anything else, also in these
// threads.
//
// The runner itself is Node's, in a thread of its own: it only gets workers from `spawn`. The first version is tested
// both ways. If the tests say something else in a worker, or do what a worker can't, there are no results.
"use strict";

const fs = require("fs");
const path = require("path");
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

const RESULTS = path.join(__dirname, "results.jsonl");
// What means the same to a worker.
const OPTIONS = new Set([
  ...["--test", "--test-name-pattern", "--test-only", "--test-concurrency", "--test-timeout", "--test-reporter"],
  ...["--require", "-r", "--conditions", "-C", "--no-warnings", "--enable-source-maps", "--max-old-space-size"],
]);
const SKIPPED = "test name does not match pattern"; // what Node says of it
const ENDING = 2000; // milliseconds until a thread counts as stuck that was told to end
const OF_PROCESSES = ["exit", "abort", "chdir", "umask", "kill", "setuid", "setgid", "seteuid", "setegid", "setgroups"];

function takeOver() {
  const over = new Int32Array(new SharedArrayBuffer(4));
  const given = { over, paths: process.argv.slice(1), execArgv: process.execArgv, options: otherOptions() };
  new Worker(__filename, { workerData: given, execArgv: ["--test"], env: { ...process.env, NODE_OPTIONS: "" } });
  Atomics.wait(over, 0, 0);
}

// NODE_OPTIONS without what loads this file.
function otherOptions() {
  const all = (process.env.NODE_OPTIONS || "").split(" ");
  return all.filter((each) => each && each !== `--require=${__filename}`).join(" ");
}

class Versions {
  constructor(wanted, given) {
    this.wanted = wanted;
    this.given = given;
    this.running = new Map();
    this.started = new Set();
    this.files = wanted.files.length ? wanted.files : undefined;
    this.unsound = false;
    const processes = require("child_process");
    this.spawn = processes.spawn;
    processes.spawn = (...call) => this.start(...call); // before the runner, which takes it when it is loaded
    this.runner = require("node:test");
    this.reporters = require("node:test/reporters");
  }

  async run() {
    const began = performance.now();
    let compared = false;
    let held = [];
    for (const [name, data] of this.wanted.texts) {
      if (performance.now() - began > this.wanted.together * 1000) break;
      const { result, same } = await this.withText(path.join(this.wanted.root, name), data, compared);
      if (this.unsound || same === false) return;
      compared = compared || same === true;
      held.push(JSON.stringify(result) + "\n");
      if (compared || result.exit_code === 0) {
        fs.appendFileSync(RESULTS, held.join(""));
        held = [];
      }
      if (result.exit_code === 0 || this.running.size) return;
    }
    fs.appendFileSync(RESULTS, held.join(""));
  }

  async withText(file, data, compared) {
    const before = fs.readFileSync(file);
    fs.writeFileSync(file, Buffer.from(data, "latin1"));
    try {
      if (compared) return { result: (await this.tested(inWorker)).result };
      const real = await this.tested(inProcess);
      if (!real.result.exit_code) return { result: real.result }; // passed, or did not end
      const { result, tests } = await this.tested(inWorker);
      const same = result.exit_code === real.result.exit_code && comparable(tests) === comparable(real.tests);
      this.files = this.wantedFiles(tests);
      if (same && this.files) fs.appendFileSync(RESULTS, JSON.stringify({ files: this.files }) + "\n");
      return { result: real.result, same: same && this.started.size > 0 };
    } finally {
      fs.writeFileSync(file, before);
    }
  }

  async tested(start) {
    const began = performance.now();
    const tests = [];
    let [stdout, code] = ["", 0];
    this.start = (...call) => start(this, ...call);
    const concurrency = Number(this.option("--test-concurrency")) || true;
    const timeout = Number(this.option("--test-timeout")) || Infinity;
    const events = this.runner.run({ concurrency, timeout, files: this.files, globPatterns: this.given.paths });
    events.on("test:pass", (data) => tests.push({ ...data, passed: true }));
    events.on("test:fail", (data) => {
      tests.push({ ...data, passed: false });
      if (data.todo === undefined || data.todo === false) code = 1;
    });
    const read = async () => {
      for await (const text of events.compose(this.reporter())) {
        if (stdout.length < this.wanted.most) stdout += text;
      }
      return true;
    };
    const ended = await within(this.wanted.seconds * 1000, read());
    if (!ended) await this.stop();
    const seconds = (performance.now() - began) / 1000;
    return { result: { exit_code: ended ? code : null, seconds, stdout, stderr: "" }, tests };
  }

  // The test files that have one of the wanted tests: in the others, all are skipped. Undefined for all files.
  wantedFiles(tests) {
    const files = [...this.started];
    const known = tests.every(({ file }) => this.started.has(file));
    const runs = ({ skip, passed, details }) => skip !== SKIPPED && !(passed && details.type === "suite");
    const wanted = files.filter((file) => tests.some((each) => each.file === file && runs(each)));
    return known && wanted.length ? wanted : undefined;
  }

  stop() {
    const ends = [...this.running].map(([child, end]) => new Promise((done) => child.once("exit", done) && end()));
    return within(ENDING, Promise.all(ends));
  }

  option(name) {
    const words = this.given.execArgv;
    const at = words.findLastIndex((each) => each === name || each.startsWith(`${name}=`));
    if (at < 0) return undefined;
    return words[at] === name ? words[at + 1] : words[at].slice(name.length + 1);
  }

  reporter() {
    const asUsual = process.versions.node.split(".")[0] < 23 ? "tap" : "spec";
    const reporter = this.reporters[this.option("--test-reporter") || asUsual];
    const isClass = reporter && reporter.prototype && reporter.prototype.constructor === reporter;
    return isClass ? new reporter() : reporter;
  }
}

function inProcess(versions, ...call) {
  const child = versions.spawn(...call);
  versions.running.set(child, () => child.kill("SIGKILL"));
  child.on("exit", () => versions.running.delete(child));
  return child;
}

// What the runner uses of a `ChildProcess`.
function inWorker(versions, program, words, { env }) {
  const { EventEmitter } = require("events");
  const { PassThrough, finished } = require("stream");
  const execArgv = ["--require", __filename, ...words.slice(0, -1)];
  const file = path.resolve(words.at(-1));
  const worker = new Worker(file, { execArgv, env, stdout: true, stderr: true });
  const child = Object.assign(new EventEmitter(), { stdout: worker.stdout, stderr: new PassThrough() });
  versions.started.add(file);
  versions.running.set(child, () => worker.terminate());
  worker.stderr.pipe(child.stderr, { end: false });
  worker.on("message", () => (versions.unsound = true));
  worker.on("error", (error) => {
    child.stderr.write(`${(error && error.stack) || error}\n\nNode.js ${process.version}\n`);
  });
  worker.on("exit", (code) => {
    versions.running.delete(child);
    finished(worker.stderr, () => child.stderr.end());
    finished(child.stderr, () => setImmediate(() => child.emit("exit", code, null)));
  });
  return child;
}

// Undefined after so many milliseconds.
async function within(milliseconds, work) {
  let timer;
  const late = new Promise((done) => (timer = setTimeout(done, milliseconds)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function comparable(tests) {
  const parts = tests.map(({ name, nesting, passed, skip, todo, details }) => {
    const error = details.error && (details.error.cause || details.error);
    return [name, nesting, passed, skip, todo, error && String(error.message || error).replace(/\d+/g, "0")];
  });
  return JSON.stringify(parts);
}

async function testVersions() {
  const { over, paths, execArgv, options } = workerData;
  process.on("exit", () => {
    Atomics.store(over, 0, 1);
    Atomics.notify(over, 0);
  });
  process.argv = [process.execPath, ...paths];
  process.execArgv = execArgv; // what the runner hands on
  if (options) process.env.NODE_OPTIONS = options;
  else delete process.env.NODE_OPTIONS;
  const wanted = JSON.parse(fs.readFileSync(path.join(__dirname, "wanted.json"), "utf8"));
  const versions = new Versions(wanted, workerData);
  if (versions.reporter()) await versions.run();
  process.exit();
}

// Tells the runner's thread when a test does what only a process can.
function watch() {
  for (const name of OF_PROCESSES) {
    const does = process[name];
    if (!does) continue;
    process[name] = function (...given) {
      const foreign = name === "kill" && Math.abs(given[0]) !== process.pid && given[0] !== 0;
      const asks = name === "umask" && !given.length;
      if (!foreign && !asks && !process._exiting) parentPort.postMessage(name);
      return does.apply(this, given);
    };
  }
}

const isRunner = process.execArgv.includes("--test") && process.env.NODE_TEST_CONTEXT === undefined;
if (isMainThread && isRunner && !fs.existsSync(RESULTS)) {
  try {
    const words = [...process.execArgv, ...otherOptions().split(" ")];
    if (words.every((each) => !each.startsWith("-") || OPTIONS.has(each.split("=")[0]))) takeOver();
  } finally {
    process.kill(process.pid, "SIGKILL"); // does not wait for a thread that is stuck
  }
} else if (!isMainThread && workerData && workerData.over) {
  testVersions();
} else if (!isMainThread && process.execArgv[1] === __filename) {
  process.execArgv.splice(0, 2);
  watch();
}
