import { describe, expect, it } from "vitest";

import { connectionAfter, handleHello, socketAddress, takeNew, waitBefore } from "./link";
import { numbered, says } from "./samples";

const known = { epoch: "e1", seq: 7 };

describe("coming back", () => {
  it("waits longer from attempt to attempt, between 0.3 s and 10 s", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 20].map((attempt) => waitBefore(attempt, 1));
    expect(waits).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000, 10_000]);
  });

  it.each([0, 0.3, 0.999])("is spread by chance (%d) and never too soon", (random) => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect(waitBefore(attempt, random)).toBeGreaterThanOrEqual(300);
      expect(waitBefore(attempt, random)).toBeLessThanOrEqual(10_000);
    }
    expect(waitBefore(10, 0)).toBe(5_000);
  });

  it("is lost only once an attempt has failed", () => {
    expect(connectionAfter(0)).toBe("connecting");
    expect(connectionAfter(1)).toBe("lost");
  });

  it("asks for what came since, over the page's own host", () => {
    const page = { protocol: "http:", host: "127.0.0.1:8383" };
    expect(socketAddress(page, known)).toBe("ws://127.0.0.1:8383/api/socket?since=7&epoch=e1");
    expect(socketAddress({ ...page, protocol: "https:" }, known)).toMatch(/^wss:/);
  });
});

describe("a greeting", () => {
  const hello = { type: "hello", epoch: "e1", seq: 9, resync: false } as const;

  it("of the same server leaves the page where it is: what it missed follows", () => {
    expect(handleHello(known, hello)).toEqual({ known, reload: false });
  });

  it.each([
    ["that can't complete what the page has", { ...hello, resync: true }, "e1"],
    ["of a server that was restarted", { ...hello, epoch: "e2" }, "e2"],
  ])("%s makes the page load again and go on from there", (_, given, epoch) => {
    expect(handleHello(known, given)).toEqual({ known: { epoch, seq: 9 }, reload: true });
  });
});

describe("frames", () => {
  it("are taken once each", () => {
    const first = takeNew(known, numbered([says("a"), says("b"), says("c")], 6));
    expect(first.fresh.map((each) => each.seq)).toEqual([8]);
    expect(first.known).toEqual({ epoch: "e1", seq: 8 });
    expect(takeNew(first.known, numbered([says("c")], 8)).fresh).toEqual([]);
  });
});
