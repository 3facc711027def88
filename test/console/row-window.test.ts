import { expect, test } from "vitest";
import { createSeqAxis, createTimeAxis, type PageStart } from "../../console/src/list/axis.ts";
import { RowWindow } from "../../console/src/list/row-window.ts";

const rowHeight = 32;
const day = 86_400_000;

interface Row {
  readonly seq: number;
  readonly startedAt: number;
}

/** A list of as many rows as there are odd numbers up to `head`, and what a person sees of it. */
function createList(head: number, failing = { value: false }) {
  const viewport = { scrollTop: 0, height: 640 };
  const starts: PageStart[] = [];
  const toRow = (seq: number): Row => ({ seq, startedAt: seq * 1000 });
  const rows = new RowWindow<Row>({
    load: async (start, limit) => {
      starts.push(start);
      if (failing.value) throw new Error("no answer");
      const found: Row[] = [];
      if (start.toward === "newer") {
        for (let seq = start.after + 1 + (start.after % 2); seq <= head && found.length < limit; seq += 2)
          found.push(toRow(seq));
        return { rows: found, head, more: (found.at(-1)?.seq ?? head) < head - 1 };
      }
      const before = Math.min(
        start.before ?? head + 1,
        Math.ceil((start.until ?? Number.POSITIVE_INFINITY) / 1000),
      );
      let seq = Math.min(before - 1, head);
      if (seq % 2 === 0) seq--;
      for (; seq >= 1 && found.length < limit; seq -= 2) found.push(toRow(seq));
      return { rows: found, head, more: (found.at(-1)?.seq ?? 1) > 1 };
    },
    getRowHeight: () => rowHeight,
    getViewport: () => viewport,
    setScrollTop: (pixels) => {
      viewport.scrollTop = Math.max(0, Math.min(pixels, rows.state.value.height - viewport.height));
    },
  });
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const scrollTo = async (pixels: number) => {
    viewport.scrollTop = Math.max(0, Math.min(pixels, rows.state.value.height - viewport.height));
    rows.look();
    await settle();
  };
  /** The numbers of the rows that are seen, from the first to the last. */
  const listSeen = () => {
    const { rows: held, top } = rows.state.value;
    return held
      .filter((_, at) => {
        const y = top + at * rowHeight;
        return y + rowHeight > viewport.scrollTop && y < viewport.scrollTop + viewport.height;
      })
      .map(({ seq }) => seq);
  };
  return { rows, viewport, starts, scrollTo, listSeen, settle };
}

const million = 999_999;

async function openMillion() {
  const list = createList(million);
  await list.rows.open();
  list.rows.setAxis(createSeqAxis(million, list.rows.state.value.rows));
  await list.settle();
  return list;
}

test("a list of a million numbers opens at the newest with one page, in an area that a browser can hold", async () => {
  const { rows, starts, listSeen } = await openMillion();
  expect(listSeen()[0]).toBe(million);
  expect(rows.state.value.height).toBe(8_000_000);
  expect(starts.length).toBeLessThanOrEqual(2);
});

test("a place far away is found by its share of all numbers, and what is seen there is whole", async () => {
  const { rows, viewport, scrollTo, listSeen } = await openMillion();
  for (const share of [0.5, 0.1, 0.9, 0.25]) {
    await scrollTo(share * (rows.state.value.height - viewport.height));
    const seen = listSeen();
    expect(seen.length).toBeGreaterThanOrEqual(20);
    expect(Math.abs((seen[0] ?? 0) / million - (1 - share))).toBeLessThan(0.001);
    expect(seen.every((seq, at) => at === 0 || seq === (seen[at - 1] ?? 0) - 2)).toBe(true);
  }
});

test("the ends are the newest and the oldest row, with nothing beyond", async () => {
  const { rows, scrollTo, listSeen } = await openMillion();
  await scrollTo(8_000_000);
  expect(listSeen().at(-1)).toBe(1);
  expect(rows.state.value.atOldest).toBe(true);
  await scrollTo(0);
  rows.settle();
  expect(listSeen()[0]).toBe(million);
});

test("scrolling on by small steps shows each row once, and never holds more than a few pages", async () => {
  const { rows, viewport, scrollTo, listSeen } = await openMillion();
  await scrollTo(4_000_000);
  let last = listSeen()[0] ?? 0;
  for (let step = 0; step < 200; step++) {
    await scrollTo(viewport.scrollTop + 3 * rowHeight);
    const first = listSeen()[0] ?? 0;
    expect(last - first).toBe(6);
    last = first;
    expect(rows.state.value.rows.length).toBeLessThanOrEqual(480);
  }
  const before = listSeen();
  rows.settle();
  await Promise.resolve();
  expect(listSeen()).toEqual(before);
  expect(viewport.scrollTop / (8_000_000 - viewport.height)).toBeCloseTo(1 - last / million, 4);
});

test("scrolling up by hand from near the top comes to the newest row, though the heights would end before", async () => {
  const { rows, viewport, scrollTo, listSeen } = await openMillion();
  await scrollTo(5000);
  expect(listSeen()[0]).toBeLessThan(million);
  for (let step = 0; step < 2000 && listSeen()[0] !== million; step++)
    await scrollTo(viewport.scrollTop - 3 * rowHeight);
  expect(listSeen()[0]).toBe(million);
  expect(rows.state.value.atNewest).toBe(true);
});

test("a short list is held whole, at its own height", async () => {
  const { rows, scrollTo, listSeen } = createList(299);
  await rows.open();
  for (let step = 0; step < 40; step++) await scrollTo(step * 300);
  expect(rows.state.value).toMatchObject({ atNewest: true, atOldest: true, height: 150 * rowHeight, top: 0 });
  expect(listSeen().at(-1)).toBe(1);
});

test("new rows come on top; who reads further down keeps their place", async () => {
  const { rows, viewport, scrollTo, listSeen } = await openMillion();
  rows.prepend([{ seq: million + 2, startedAt: 0 }]);
  expect(listSeen()[0]).toBe(million + 2);
  await scrollTo(320);
  const seen = listSeen();
  rows.prepend([{ seq: million + 4, startedAt: 0 }]);
  expect(listSeen()).toEqual(seen);
  expect(viewport.scrollTop).toBe(352);
  rows.replace(new Map([[million, { seq: million, startedAt: 5 }]]));
  expect(rows.state.value.rows.find(({ seq }) => seq === million)?.startedAt).toBe(5);
});

test("a server that fails is asked once for each thing that a person does", async () => {
  const failing = { value: false };
  const list = createList(million, failing);
  await list.rows.open();
  list.rows.setAxis(createSeqAxis(million, list.rows.state.value.rows));
  await list.settle();
  failing.value = true;
  const before = list.starts.length;
  await list.scrollTo(4_000_000);
  expect(list.starts.length - before).toBe(1);
  expect(list.rows.state.value.fault?.message).toBe("no answer");
  failing.value = false;
  list.rows.look();
  await list.settle();
  expect(list.rows.state.value.fault).toBeUndefined();
  expect(list.listSeen().length).toBeGreaterThanOrEqual(20);
});

test("the axis of chosen calls goes by how many there were in each time", () => {
  const axis = createTimeAxis(
    [
      { from: 0, rows: 100 },
      { from: 5 * day, rows: 300 },
    ],
    day,
  );
  expect(axis.rows).toBe(400);
  expect(axis.start(0)).toEqual({ until: 6 * day });
  expect(axis.start(0.75)).toEqual({ until: 5 * day });
  expect(axis.start(1)).toEqual({ until: 0 });
  expect(axis.locate({ seq: 1, startedAt: 5 * day })).toBeCloseTo(0.75);
  expect(axis.locate({ seq: 1, startedAt: 5.5 * day })).toBeCloseTo(0.375);
  expect(axis.locate({ seq: 1, startedAt: 3 * day })).toBeCloseTo(0.75);
  expect(axis.locate({ seq: 1, startedAt: 0 })).toBeCloseTo(1);
});
