import { expect, test } from "vitest";
import { chooseNextRange, type RowRange } from "../../console/src/list/shown-range.ts";

const rows = 1000;
const view = (from: number): RowRange => ({ from, to: from + 20 });

/** Goes on until nothing changes. */
function complete(shown: RowRange, inView: RowRange): { readonly range: RowRange; readonly frames: number } {
  let range = shown;
  for (let frames = 0; ; frames++) {
    const next = chooseNextRange(range, inView, rows);
    if (next.from === range.from && next.to === range.to) return { range, frames };
    range = next;
  }
}

test("far from what is shown only what is in view is rendered at once, and the rest comes a few rows a frame", () => {
  const first = chooseNextRange({ from: 0, to: 40 }, view(500), rows);
  expect(first).toEqual({ from: 500, to: 520 });
  expect(chooseNextRange(first, view(500), rows)).toEqual({ from: 496, to: 524 });
  expect(complete(first, view(500))).toEqual({ range: { from: 480, to: 540 }, frames: 5 });
});

test("in any scroll all rows in view are there, none twice, and a frame has at most four on each side that nobody sees", () => {
  let shown: RowRange = { from: 0, to: 0 };
  let at = 0;
  for (let frame = 0; frame < 5000; frame++) {
    // Small steps, leaps, and both ends.
    at = Math.max(0, Math.min(rows - 20, at + (((frame * 7919) % 23) - 11) * (frame % 97 === 0 ? 60 : 1)));
    const inView = view(at);
    const next = chooseNextRange(shown, inView, rows);
    expect(next.from).toBeLessThanOrEqual(inView.from);
    expect(next.to).toBeGreaterThanOrEqual(inView.to);
    expect(next.from).toBeGreaterThanOrEqual(0);
    expect(next.to).toBeLessThanOrEqual(rows);
    const added = Math.max(0, Math.min(shown.from, inView.from) - next.from);
    const addedAfter = Math.max(0, next.to - Math.max(shown.to, inView.to));
    expect(added).toBeLessThanOrEqual(4);
    expect(addedAfter).toBeLessThanOrEqual(4);
    shown = next;
  }
  expect(complete(shown, view(at)).range.to - complete(shown, view(at)).range.from).toBeLessThanOrEqual(60);
});

test("a list that has fewer rows than it had shows those that are left", () => {
  expect(chooseNextRange({ from: 480, to: 540 }, view(500), 510)).toEqual({ from: 480, to: 510 });
  expect(chooseNextRange({ from: 480, to: 540 }, view(500), 0)).toEqual({ from: 0, to: 0 });
});
