import { expect, it } from "vitest";

import { FrameBuffer } from "./frameBuffer";
import { numbered, says } from "./samples";

const [one, two] = numbered([says("a"), says("b")]);
if (!one || !two) throw new Error("two frames");

it("hands out what came while something was loaded", () => {
  const frameBuffer = new FrameBuffer();
  frameBuffer.add("chat", one);
  const loading = frameBuffer.begin("chat");
  frameBuffer.add("chat", two);
  frameBuffer.add("other", one);
  expect(frameBuffer.end("chat", loading)).toEqual([two]);
});

it("makes an answer void when a later loading took its place", () => {
  const frameBuffer = new FrameBuffer();
  const first = frameBuffer.begin("chat");
  const second = frameBuffer.begin("chat");
  expect(frameBuffer.end("chat", first)).toBeNull();
  expect(frameBuffer.end("chat", second)).toEqual([]);
  expect(frameBuffer.loading("chat")).toBe(false);
});

it("makes all answers void that are of another server", () => {
  const frameBuffer = new FrameBuffer();
  const loading = frameBuffer.begin("chat");
  frameBuffer.clear();
  expect(frameBuffer.end("chat", loading)).toBeNull();
});
