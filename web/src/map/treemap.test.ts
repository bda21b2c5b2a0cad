import { describe, expect, it } from "vitest";

import { type Box, linesIn, namedTreemap, treemap } from "./treemap";

const area = ({ width, height }: Box) => width * height;
const ratio = ({ width, height }: Box) => Math.max(width / height, height / width);

function overlap(one: Box, other: Box): number {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
}

describe.each([
  ["many of one size", Array.from({ length: 12 }, () => 3), 900, 400],
  ["one large and many small", [60, 5, 4, 4, 3, 2, 1, 1, 1], 800, 450],
  ["a single one", [7], 300, 200],
  ["a tall field", [6, 6, 4, 3, 2, 2, 1], 300, 900],
])("treemap of %s", (_, weights, width, height) => {
  const boxes = treemap(weights, width, height);
  const total = weights.reduce((sum, weight) => sum + weight, 0);

  it("gives each its share of the field", () => {
    boxes.forEach((box, index) => {
      expect(area(box)).toBeCloseTo(((weights[index] ?? 0) / total) * width * height, 3);
    });
  });

  it("stays inside, and no box lies on another", () => {
    boxes.forEach((box, index) => {
      expect(box.x + box.width).toBeLessThanOrEqual(width + 0.001);
      expect(box.y + box.height).toBeLessThanOrEqual(height + 0.001);
      for (const other of boxes.slice(index + 1)) expect(overlap(box, other)).toBeLessThan(0.001);
    });
  });

  it("has no slivers", () => {
    expect(Math.max(...boxes.map(ratio))).toBeLessThan(4.5);
  });
});

it.each([
  ["no field", [1, 2], 0, 100],
  ["no weight", [0, 0], 100, 100],
])("draws nothing in %s", (_, weights, width, height) => {
  expect(treemap(weights, width, height).every((box) => area(box) === 0)).toBe(true);
});

it.each([
  ["store", 200, 1],
  ["indentation.py", 112, 2],
  ["variable_tables.py", 112, 2],
  ["abcdefghijklmnopqrstuvwxyz", 96, 3],
  ["a", 10, Infinity],
])("%s takes its lines in %d pixels", (name, width, lines) => {
  expect(linesIn(name, width)).toBe(lines);
});

describe("namedTreemap", () => {
  const named = (count: number, name: string) => Array.from({ length: count }, () => ({ name, weight: 1 }));

  it("draws all whose names fit, and leaves out what would not hold its own", () => {
    expect(namedTreemap(named(6, "store"), 900, 400)).toHaveLength(6);
    const boxes = namedTreemap(named(60, "a_rather_long_name_of_a_group"), 600, 300);
    expect(boxes.length).toBeGreaterThan(3);
    expect(boxes.length).toBeLessThan(60);
    for (const { width, height } of boxes) expect(linesIn("a_rather_long_name_of_a_group", width) * 17).toBeLessThan(height);
  });

  it("draws nothing where there is no room", () => {
    expect(namedTreemap(named(3, "store"), 0, 0)).toEqual([]);
  });
});
