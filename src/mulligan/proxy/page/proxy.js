// Shows what the proxy did, as it does it. Everything is set as text: it comes from models.

const WORDS = {
  call_as_text: "A call that was written as text became a native call",
  tool_name: "A tool's name was corrected",
  missing_brace: "A missing brace was added",
  trailing_comma: "A trailing comma was removed",
  single_quotes: "Single quotes became double quotes",
  code_fence: "A code fence around arguments was removed",
  encoded_twice: "Arguments that were encoded twice were decoded",
  renamed_argument: "An argument's name was corrected",
  dropped_argument: "An argument that the tool does not have was left out",
  coerced_boolean: "Text became true or false",
  coerced_number: "Text became a number",
  empty: "An empty reply was asked for again",
  repeated: "A reply that repeated itself was cut off",
  cut_off: "A call that was cut off was not passed on",
  call_rejected: "A call was refused, and asked for again with the error",
  passed_unrepaired: "A call that could not be repaired was passed on as it is",
  retried: "The server failed and was asked again",
  failed: "The server failed",
  constrained: "The server takes no tools: replies are forced into a schema",
  refused_too_long: "A prompt that the server would have cut was refused",
  shortened: "Old results were hidden to make a prompt fit",
  noted_repeated: "A repeated call: the model was told that nothing changed",
  masked_repeated: "A repeated call: the tool was not offered",
  ended_loop: "A loop was ended",
  ended_stale: "A turn that brought nothing new was ended",
  noted_mistakes: "Failing calls: the model got a recovery note",
  ended_mistakes: "A turn of failing calls was ended",
};
const MAX_ROWS = 200;
const byId = (id) => document.getElementById(id);
const say = (what) => WORDS[what] ?? what.replaceAll("_", " ");
let token = "";

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function showTotals({ clients }) {
  byId("no-clients").hidden = clients.length > 0;
  byId("clients").replaceChildren(
    ...clients.map((client) => {
      const row = element("tr");
      const name = element("th", client.name);
      name.scope = "row";
      const actions = Object.entries(client.actions).map(([what, count]) => `${what.replaceAll("_", " ")}: ${count}`);
      row.append(
        name,
        element("td", String(client.requests), "number"),
        element("td", String(client.asked), "number"),
        element("td", actions.join(", ") || "nothing: all was valid"),
      );
      return row;
    }),
  );
}

function actionItem(action) {
  const item = element("li");
  const head = element("div", undefined, "head");
  const time = element("time", new Date(action.time * 1000).toLocaleTimeString());
  time.dateTime = new Date(action.time * 1000).toISOString();
  head.append(element("span", say(action.what), "what"), element("span", `${action.client}, ${action.model}`, "who"), time);
  item.append(head);
  const compare = element("div", undefined, "compare");
  for (const [title, text] of [["Before", action.before], ["After", action.after]]) {
    if (!text) continue;
    const side = element("div");
    side.append(element("h3", title), element("pre", text));
    compare.append(side);
  }
  if (compare.children.length) item.append(compare);
  return item;
}

function addDeed(action) {
  byId("no-actions").hidden = true;
  const list = byId("actions");
  list.prepend(actionItem(action));
  while (list.children.length > MAX_ROWS) list.lastElementChild.remove();
}

async function ask(path, signal) {
  const answer = await fetch(path, { headers: token ? { "x-mulligan-token": token } : {}, signal });
  if (answer.status === 401) {
    byId("login").hidden = false;
    throw new Error("It wants its token");
  }
  if (!answer.ok) throw new Error(`It answered ${answer.status}`);
  byId("login").hidden = true;
  return answer;
}

async function follow() {
  const stop = new AbortController();
  try {
    const events = await ask("/proxy/events", stop.signal);
    const state = await (await ask("/proxy/state")).json();
    showTotals(state.totals);
    byId("actions").replaceChildren(...state.actions.map(actionItem));
    byId("no-actions").hidden = state.actions.length > 0;
    const seen = state.actions.length ? state.actions[0].number : 0;
    byId("link").textContent = "Live";
    const reader = events.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error("It has ended");
      const lines = (rest + value).split("\n\n");
      rest = lines.pop();
      for (const line of lines) {
        const event = JSON.parse(line.replace(/^data: /, ""));
        if (event.type === "totals") showTotals(event);
        else if (event.number > seen) addDeed(event);
      }
    }
  } catch (error) {
    stop.abort();
    byId("link").textContent = `Not connected: ${error.message}`;
    if (byId("login").hidden) setTimeout(follow, 2000);
  }
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value;
  follow();
});
follow();
