import { describe, expect, it } from "vitest";

import { diagramName, readDrawRequest, readFrameMessage } from "./protocol";

describe("readFrameMessage", () => {
  it("accepts only the messages that a frame may send", () => {
    expect(readFrameMessage({ type: "ready", more: "x" })).toEqual({ type: "ready" });
    expect(readFrameMessage({ type: "failed" })).toEqual({ type: "failed" });
    expect(readFrameMessage({ type: "drawn", height: 120.2, width: 3 })).toEqual({ type: "drawn", height: 121 });
  });

  it("lets no frame grow without end", () => {
    expect(readFrameMessage({ type: "drawn", height: 1e9 })).toEqual({ type: "drawn", height: 4000 });
  });

  it.each([
    null,
    "ready",
    7,
    {},
    { type: "else" },
    { type: "drawn" },
    { type: "drawn", height: "100px" },
    { type: "drawn", height: 0 },
    { type: "drawn", height: -1 },
    { type: "drawn", height: Number.NaN },
    { type: "drawn", height: Number.POSITIVE_INFINITY },
  ])("ignores %j", (data) => {
    expect(readFrameMessage(data)).toBeNull();
  });
});

describe("readDrawRequest", () => {
  it("takes a text and a theme", () => {
    expect(readDrawRequest({ source: "pie", dark: true })).toEqual({ source: "pie", dark: true });
    expect(readDrawRequest({ source: "pie" })).toBeNull();
    expect(readDrawRequest({ source: 1, dark: true })).toBeNull();
    expect(readDrawRequest(null)).toBeNull();
  });
});

describe("diagramName", () => {
  it.each([
    ["graph TD\n  A --> B", "Flowchart"],
    ["%% a comment\nsequenceDiagram\n  A->>B: hi", "Sequence diagram"],
    ["---\ntitle: How a turn ends\n---\nflowchart LR\n  A --> B", "Flowchart: How a turn ends"],
    ["pie title Pets\n  \"Dogs\" : 3", "Pie chart: Pets"],
    ["gantt\n  title A plan\n  section One", "Gantt chart: A plan"],
    ["erDiagram\n  accTitle: Orders\n  A ||--o{ B : has", "Entity relationship diagram: Orders"],
    ["whatever", "Diagram"],
    ["", "Diagram"],
  ])("of %j", (source, name) => {
    expect(diagramName(source)).toBe(name);
  });
});
