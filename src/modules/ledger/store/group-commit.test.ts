import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";

const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));

test("GroupCommit.add() writes what one turn of the event loop adds in one go, in order", async () => {
  const batches: (readonly number[])[] = [];
  const commit = new GroupCommit<number>((items) => void batches.push([...items]));
  const adding = [1, 2].map((item) => commit.add(item));
  await Promise.resolve();
  adding.push(commit.add(3));
  expect(batches).toEqual([]);
  await Promise.all(adding);
  await commit.add(4);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("GroupCommit.add() writes one batch at a time; what comes meanwhile is the next", async () => {
  const batches: (readonly number[])[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const commit = new GroupCommit<number>((items) => {
    batches.push([...items]);
    return batches.length === 1 ? gate : undefined;
  });
  const first = commit.add(1);
  await nextTurn();
  const second = [commit.add(2), commit.add(3)];
  await nextTurn();
  expect(batches).toEqual([[1]]);
  open();
  await Promise.all([first, ...second]);
  expect(batches).toEqual([[1], [2, 3]]);
});

test("GroupCommit.add() cuts a large turn into batches of a thousand", async () => {
  const sizes: number[] = [];
  const commit = new GroupCommit<number>((items) => void sizes.push(items.length));
  await Promise.all(Array.from({ length: 2500 }, (_, item) => commit.add(item)));
  expect(sizes).toEqual([1000, 1000, 500]);
});

test("GroupCommit.add() rejects for all of a batch that failed, and for none of the next", async () => {
  const faults = [new Error("thrown"), new Error("rejected")];
  let writes = 0;
  const commit = new GroupCommit<number>(() => {
    writes++;
    if (writes === 1) throw faults[0];
    return writes === 2 ? Promise.reject(faults[1] as Error) : undefined;
  });
  const settled = await Promise.allSettled([commit.add(1), commit.add(2)]);
  expect(settled).toEqual([
    { status: "rejected", reason: faults[0] },
    { status: "rejected", reason: faults[0] },
  ]);
  await expect(commit.add(3)).rejects.toBe(faults[1]);
  await expect(commit.add(4)).resolves.toBeUndefined();
});

test("GroupCommit.drain() waits for what was added, however it comes out", async () => {
  const written: number[] = [];
  const commit = new GroupCommit<number>(async (items) => {
    await nextTurn();
    if (items.includes(1)) throw new Error("no");
    written.push(...items);
  });
  const first = expect(commit.add(1)).rejects.toThrow("no");
  await nextTurn();
  const second = commit.add(2);
  await commit.drain();
  expect(written).toEqual([2]);
  await first;
  await second;
});
