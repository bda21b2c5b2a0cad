import { expect, it } from "vitest";

import { Catching } from "./catching";
import { numbered, says } from "./samples";

const [one, two] = numbered([says("a"), says("b")]);
if (!one || !two) throw new Error("two frames");

it("hands out what came while something was loaded", () => {
  const catching = new Catching();
  catching.add("chat", one);
  const loading = catching.begin("chat");
  catching.add("chat", two);
  catching.add("other", one);
  expect(catching.end("chat", loading)).toEqual([two]);
});

it("makes an answer void when a later loading took its place", () => {
  const catching = new Catching();
  const first = catching.begin("chat");
  const second = catching.begin("chat");
  expect(catching.end("chat", first)).toBeNull();
  expect(catching.end("chat", second)).toEqual([]);
  expect(catching.loading("chat")).toBe(false);
});

it("makes all answers void that are of another server", () => {
  const catching = new Catching();
  const loading = catching.begin("chat");
  catching.clear();
  expect(catching.end("chat", loading)).toBeNull();
});
