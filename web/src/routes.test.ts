import { expect, it } from "vitest";

import { shownAt } from "./routes";

it.each([
  ["/p/a", { projectId: "a", view: "new", id: null }],
  ["/p/a/c/1", { projectId: "a", view: "chat", id: "1" }],
  ["/p/a/runs", { projectId: "a", view: "runs", id: null }],
  ["/p/a/runs/r", { projectId: "a", view: "run", id: "r" }],
  ["/p/a/fleet", { projectId: "a", view: "fleet", id: null }],
  ["/p/a/fleet/j", { projectId: "a", view: "job", id: "j" }],
  ["/p/a/map/", { projectId: "a", view: "map", id: null }],
  ["/p/a/c", null],
  ["/p/a/map/x", null],
  ["/p", null],
  ["/other", null],
])("knows what %s shows", (path, shown) => {
  expect(shownAt(path)).toEqual(shown);
});
