import { describe, expect, it } from "vitest";

import { FrameCounter } from "./frameCounter";

describe("an answer", () => {
  /** A server that answers with the number of the request, and frames that arrive before some of the answers. */
  const answering = (counter: FrameCounter, overtaken: number) => {
    let asked = 0;
    return () => {
      asked += 1;
      if (asked <= overtaken) counter.add("a");
      return Promise.resolve(asked);
    };
  };

  it("is used if no frame arrived meanwhile", async () => {
    const counter = new FrameCounter();
    counter.add("a");
    expect(await counter.newest("a", answering(counter, 0))).toBe(1);
  });

  it("is requested again if a frame arrived meanwhile", async () => {
    const counter = new FrameCounter();
    expect(await counter.newest("a", answering(counter, 1))).toBe(2);
  });

  it("ignores frames about another topic", async () => {
    const counter = new FrameCounter();
    expect(await counter.newest("b", answering(counter, 1))).toBe(1);
  });

  it("is requested a few times at most", async () => {
    const counter = new FrameCounter();
    expect(await counter.newest("a", answering(counter, 100))).toBe(3);
  });
});
