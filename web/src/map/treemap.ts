/** Boxes whose areas match their weights, as close to squares as possible: the squarified treemap. Pure. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One box per weight, in the given order. Largest first looks best. */
export function treemap(weights: readonly number[], width: number, height: number): Box[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0 || width <= 0 || height <= 0) return weights.map(() => ({ x: 0, y: 0, width: 0, height: 0 }));
  const areas = weights.map((weight) => (weight / total) * width * height);
  const boxes: Box[] = [];
  let rest: Box = { x: 0, y: 0, width, height };
  let index = 0;
  while (index < areas.length) {
    const side = Math.min(rest.width, rest.height);
    const row = bestRow(areas.slice(index), side);
    const laid = layRow(row, rest);
    boxes.push(...laid.boxes);
    rest = laid.rest;
    index += row.length;
  }
  return boxes;
}

/** Pixels that a name takes in a box: per character, per line, at its sides, and of the text below it. */
const LETTER = 8;
const LINE = 17;
const SIDES = 16;
const BELOW = 28;

/** The boxes of as many of the first as fit, so that each holds its name. */
export function namedTreemap(all: readonly { name: string; weight: number }[], width: number, height: number): Box[] {
  for (let count = all.length; count > 0; count -= 1) {
    const boxes = treemap(all.slice(0, count).map(({ weight }) => weight), width, height);
    if (boxes.every((box, index) => linesIn(all[index]?.name ?? "", box.width) * LINE + BELOW <= box.height)) return boxes;
  }
  return [];
}

/** The best positions to break an identifier: after an underscore or a slash, before a dot. */
export function piecesOf(name: string): string[] {
  return name.split(/(?<=[_/])|(?=\.)/);
}

/** How many lines a name takes. A segment longer than a line is broken anywhere. */
export function linesIn(name: string, width: number): number {
  const letters = Math.floor((width - SIDES) / LETTER);
  if (letters <= 0) return Infinity;
  let lines = 1;
  let used = 0;
  for (const { length } of piecesOf(name)) {
    if (used + length > letters && used > 0) {
      lines += 1;
      used = 0;
    }
    used += length;
    const full = Math.max(0, Math.ceil(used / letters) - 1);
    lines += full;
    used -= full * letters;
  }
  return lines;
}

/** As many as make the boxes of the row squarer. */
function bestRow(areas: readonly number[], side: number): number[] {
  let row = areas.slice(0, 1);
  for (let count = 2; count <= areas.length; count += 1) {
    const longer = areas.slice(0, count);
    if (worst(longer, side) > worst(row, side)) break;
    row = longer;
  }
  return row;
}

/** How far the worst box of a row is from a square: 1 is a square. */
function worst(row: readonly number[], side: number): number {
  const thickness = row.reduce((sum, area) => sum + area, 0) / side;
  return Math.max(...row.map((area) => Math.max(thickness ** 2 / area, area / thickness ** 2)));
}

/** Along the shorter side of the remaining space. */
function layRow(row: readonly number[], { x, y, width, height }: Box): { boxes: Box[]; rest: Box } {
  const sum = row.reduce((all, area) => all + area, 0);
  const upright = width >= height;
  const thickness = sum / (upright ? height : width);
  let along = 0;
  const boxes = row.map((area) => {
    const length = area / thickness;
    const box = upright
      ? { x, y: y + along, width: thickness, height: length }
      : { x: x + along, y, width: length, height: thickness };
    along += length;
    return box;
  });
  const rest = upright
    ? { x: x + thickness, y, width: Math.max(0, width - thickness), height }
    : { x, y: y + thickness, width, height: Math.max(0, height - thickness) };
  return { boxes, rest };
}
