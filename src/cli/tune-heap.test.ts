import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Runs a program that tends its heap, and looks at it with a load that the program says; it prints its result. */
function run(body: string, ...flags: string[]): unknown {
  const program = `
    import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
    import { runInNewContext } from "node:vm";
    const timer = { unref() {} };
    let look;
    globalThis.setTimeout = (work) => { work(); return timer; };
    globalThis.setInterval = (work) => { look = work; return timer; };
    let utilization = 0;
    performance.eventLoopUtilization = () => ({ utilization });
    const lookAt = (load, times = 1) => { utilization = load; for (; times > 0; times--) look(); };
    const { tuneHeap } = await import("./src/cli/tune-heap.ts");
    ${body}`;
  const args = [...flags, "--input-type=module", "-e", program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("tuneHeap() makes two halves of 8 MiB of a young generation that was kept small once the program is busy, and it stays so", () => {
  // Much outlives the young generation, as calls do that wait for each other.
  const program = `
    setFlagsFromString("--semi-space-growth-factor=1");
    const kept = [];
    const churn = () => { for (let at = 0; at < 2_000_000; at++) kept[at % 50_000] = { at, text: "x" + at }; };
    // A collection may leave pages over, or have some to fetch: the second one after the load has its very size.
    const read = () => {
      for (let time = 0; time < 2; time++) gc({ type: "minor" });
      return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
    };
    churn();
    tuneHeap();
    const sizes = [read()];
    for (const load of [0.3, 0.9]) {
      lookAt(load);
      sizes.push(read());
    }
    churn();
    console.log(JSON.stringify([...sizes, read()].map((bytes) => bytes / 1024 / 1024)));
  `;
  expect(run(program, "--expose-gc")).toEqual([2, 2, 16, 16]);
});

test("tuneHeap() gives back what a load left once the program is idle for five looks in a row", () => {
  const [full, pausing, idle, exposed] = run(`
    tuneHeap();
    let kept = Array.from({ length: 1_000_000 }, (_, at) => ({ at, text: "x" + at }));
    lookAt(0.9);
    kept = undefined;
    const read = () => getHeapStatistics().total_heap_size / 1024 / 1024;
    const sizes = [read()];
    lookAt(0, 4);
    lookAt(0.3);
    lookAt(0, 4);
    sizes.push(read());
    lookAt(0);
    console.log(JSON.stringify([...sizes, read(), typeof gc + runInNewContext("typeof gc")]));
  `) as [number, number, number, string];
  expect(full).toBeGreaterThan(60);
  expect(pausing).toBe(full);
  expect(idle).toBeLessThan(30);
  expect(exposed).toBe("undefinedundefined");
});

test("tuneHeap() leaves little garbage to V8", () => {
  const [before, after] = run(`
    tuneHeap();
    let kept = Array.from({ length: 50_000 }, (_, at) => ({ at, text: "x" + at }));
    kept = undefined;
    const before = getHeapStatistics().used_heap_size;
    lookAt(0, 5);
    console.log(JSON.stringify([before, getHeapStatistics().used_heap_size]));
  `) as [number, number];
  expect(after).toBeGreaterThanOrEqual(before);
});

test("tuneHeap() waits until a server has started", () => {
  const looks = run(`
    let start;
    globalThis.setTimeout = (work, ms) => { start = work; return timer; };
    tuneHeap();
    const before = typeof look;
    start();
    console.log(JSON.stringify([before, typeof look]));
  `);
  expect(looks).toEqual(["undefined", "function"]);
});
