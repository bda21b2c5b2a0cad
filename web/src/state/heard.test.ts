import { describe, expect, it } from "vitest";

import { Heard } from "./heard";

describe("an answer", () => {
  /** A server that answers with the number of the request, and frames that arrive before some of the answers. */
  const asking = (heard: Heard, overtaken: number) => {
    let asked = 0;
    return () => {
      asked += 1;
      if (asked <= overtaken) heard.add("a");
      return Promise.resolve(asked);
    };
  };

  it("is taken as it is if nothing was heard meanwhile", async () => {
    const heard = new Heard();
    heard.add("a");
    expect(await heard.newest("a", asking(heard, 0))).toBe(1);
  });

  it("is asked for again if a frame overtook it", async () => {
    const heard = new Heard();
    expect(await heard.newest("a", asking(heard, 1))).toBe(2);
  });

  it("is not overtaken by frames about something else", async () => {
    const heard = new Heard();
    expect(await heard.newest("b", asking(heard, 1))).toBe(1);
  });

  it("is asked for a few times at most", async () => {
    const heard = new Heard();
    expect(await heard.newest("a", asking(heard, 100))).toBe(3);
  });
});
