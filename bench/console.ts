import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { Serving } from "./console/serving.ts";
import {
  openPage,
  percentile,
  readFirstPaint,
  readFirstRows,
  readFrames,
  readHeap,
  startChromium,
  waitForRows,
} from "./console/tab.ts";
import { type Figures, runBench, type Subject } from "./harness.ts";
import { closedLoop } from "./mcp/closed-loop.ts";
import { openProgram } from "./program.ts";

// The console in a headless Chromium, over a ledger of a million rows: node bench/console.ts
// HAFT_BENCH_EVENTS_S=600 follows a thousand events a second for ten minutes.

const eventSeconds = Number(process.env["HAFT_BENCH_EVENTS_S"] ?? 60);
const scrollMs = 4000;

async function withServing(work: (serving: Serving) => Promise<Figures>): Promise<Figures> {
  const serving = await Serving.start();
  try {
    return await work(serving);
  } finally {
    await serving.stop();
  }
}

/** The link of a page of the console. */
function linkTo(serving: Serving, path: string): string {
  return serving.link().replace("/console/#", `/console/${path}#`);
}

async function openCold(): Promise<Figures> {
  return withServing(async (serving) => {
    const link = linkTo(serving, "calls");
    const browser = await startChromium();
    const page = await openPage(browser);
    await page.goto(link);
    const figures = { "first paint, ms": await readFirstPaint(page), "rows, ms": await readFirstRows(page) };
    await browser.close();
    return figures;
  });
}

/** What a page of one word takes in the same browser. */
async function openWord(): Promise<Figures> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>word");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const browser = await startChromium();
  const page = await openPage(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const paint = await readFirstPaint(page);
  await browser.close();
  server.close();
  return { "first paint, ms": paint };
}

/** Turns the wheel as fast as the browser takes it, then drags, over what has the class `list-rows`. */
async function scrollPage(page: Page): Promise<Figures> {
  const idle = await readFrames(page, 1000);
  await page.mouse.move(640, 500);
  let isOver = false;
  const turning = (async () => {
    while (!isOver) await page.mouse.wheel(0, 300);
  })();
  const wheel = await readFrames(page, scrollMs);
  isOver = true;
  await turning;
  const drag = await readFrames(
    page,
    scrollMs,
    `(() => {
      const list = document.querySelector(".list-rows");
      return (share) => { list.scrollTop = share * 0.9 * (list.scrollHeight - list.clientHeight); };
    })()`,
  );
  return {
    "p95 of a frame by wheel, ms": percentile(wheel, 0.95),
    "p95 of a frame by drag, ms": percentile(drag, 0.95),
    "p95 of a frame at rest, ms": percentile(idle, 0.95),
  };
}

async function scroll(): Promise<Figures> {
  return withServing(async (serving) => {
    const browser = await startChromium();
    const page = await openPage(browser);
    await page.goto(linkTo(serving, "calls"));
    await readFirstRows(page);
    const figures = { ...(await scrollPage(page)), "rows after the stop, ms": await waitForRows(page) };
    await browser.close();
    return figures;
  });
}

/** What the same browser and the same wheel do over an area of that height in which there is nothing. */
async function scrollEmptyArea(): Promise<Figures> {
  const browser = await startChromium();
  const page = await openPage(browser);
  await page.setContent(
    '<!doctype html><div class="list-rows" style="height: 700px; overflow-y: scroll"><div style="height: 8000000px">',
  );
  const figures = await scrollPage(page);
  await browser.close();
  return figures;
}

/** What the browser loads for the first page, and all files of the app, compressed as gzip does. */
async function measureSizes(): Promise<Figures> {
  const built = join(openProgram().folder, "node_modules/haft/dist/console");
  const unpack = (file: string) => brotliDecompressSync(readFileSync(file));
  const toKilobytes = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + gzipSync(unpack(join(built, `${file}.br`)), { level: 9 }).length, 0) /
    1024;
  return withServing(async (serving) => {
    const browser = await startChromium();
    const page = await openPage(browser);
    await page.goto(linkTo(serving, ""));
    await page.locator(".figures").waitFor();
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)`,
    );
    await browser.close();
    const first = loaded.filter((path) => path.startsWith("/console/assets/"));
    return {
      "KiB gz of the first page": toKilobytes([
        "index.html",
        ...new Set(first.map((path) => path.slice("/console/".length))),
      ]),
      "KiB gz of the whole app": toKilobytes(
        globSync("**/*.{js,css,html}.br", { cwd: built }).map((file) => file.slice(0, -".br".length)),
      ),
    };
  });
}

/** A call makes two events: its begin and its end. */
const callsEach100Ms = 50;

async function followEvents(): Promise<Figures> {
  return withServing(async (serving) => {
    const client = await serving.connect();
    const browser = await startChromium();
    const page = await openPage(browser);
    await page.goto(linkTo(serving, "calls"));
    await readFirstRows(page);
    let made = 0;
    const call = async () => {
      await client.call("tools/call", { name: "current_time", arguments: {} });
      made++;
    };
    const makeCalls = async (seconds: number) => {
      const begin = performance.now();
      for (let at = 0; at < seconds * 10; at++) {
        await Promise.all(Array.from({ length: callsEach100Ms }, call));
        await sleep(Math.max(0, begin + (at + 1) * 100 - performance.now()));
      }
    };
    await makeCalls(5);
    const before = await readHeap(page);
    made = 0;
    const begin = performance.now();
    const [frames] = await Promise.all([readFrames(page, eventSeconds * 1000), makeCalls(eventSeconds)]);
    const seconds = (performance.now() - begin) / 1000;
    const after = await readHeap(page);
    await browser.close();
    await client.close();
    return {
      "frames/s": frames.length / (frames.reduce((sum, ms) => sum + ms, 0) / 1000),
      "MB more heap": after - before,
      "events/s": (made * 2) / seconds,
      "p95 of a frame, ms": percentile(frames, 0.95),
    };
  });
}

async function timeCalls(isWatched: boolean): Promise<Figures> {
  return withServing(async (serving) => {
    const client = await serving.connect();
    const call = () => client.call("tools/call", { name: "current_time", arguments: {} });
    const leave = isWatched ? await serving.watchFromElsewhere() : () => {};
    await closedLoop(call, 1, 2000);
    const { p50, p99 } = await closedLoop(call, 1, 8000);
    leave();
    await client.close();
    return { "p99, ms": p99, "p50, ms": p50 };
  });
}

const consoles = 10;

async function measureMemory(): Promise<Figures> {
  return withServing(async (serving) => {
    const stop = new AbortController();
    const open = async () => {
      const token = await serving.openSession();
      await serving.follow(token, stop.signal);
      for (const address of ["/now", "/questions", "/calls?limit=80", "/calls/count?by=day"])
        await serving.ask(token, address);
    };
    await sleep(2000);
    const none = serving.readResident();
    await open();
    await sleep(2000);
    const one = serving.readResident();
    for (let at = 0; at < consoles; at++) await open();
    await sleep(2000);
    const many = serving.readResident();
    stop.abort();
    return {
      "MiB a further console": (many - one) / consoles,
      "MiB the first console": one - none,
      "MiB without a console": none,
    };
  });
}

const paths = ["console", "src/server/console", "src/app/records", "src/modules/ledger/columns"];
const haft = (measure: () => Promise<Figures>): Subject => ({ name: "haft", measure });
const own = (what: string, figure: string, reach?: string) => ({
  what,
  figure,
  ours: "haft",
  paths,
  ...(reach !== undefined && { reach }),
});

await runBench(import.meta.url, [
  {
    title: "The console opened in a Chromium that has just been started, ledger of a million rows",
    isInstalled: true,
    rows: [
      {
        ...own("the console opened cold", "first paint, ms", "≤ 300 ms"),
        floor: "floor: a page of one word",
      },
      own("the console opened cold, a million rows", "rows, ms", "≤ 500 ms"),
    ],
    subjects: [haft(openCold), { name: "floor: a page of one word", measure: openWord }],
  },
  {
    title: "A list of a million rows is scrolled",
    isInstalled: true,
    rows: [
      { ...own("a million rows", "p95 of a frame by wheel, ms", "≤ 17 ms"), floor: "floor: an empty area" },
      { ...own("a million rows", "p95 of a frame by drag, ms", "≤ 33 ms"), floor: "floor: an empty area" },
      own("a million rows dragged", "rows after the stop, ms", "≤ 100 ms"),
    ],
    subjects: [haft(scroll), { name: "floor: an empty area", measure: scrollEmptyArea }],
  },
  {
    title: "What the browser loads",
    isInstalled: true,
    rows: [
      own("what the browser loads", "KiB gz of the first page", "≤ 35 KiB"),
      own("what the browser loads", "KiB gz of the whole app", "≤ 150 KiB"),
    ],
    subjects: [haft(measureSizes)],
  },
  {
    title: "A thousand events a second",
    isInstalled: true,
    rows: [
      own("the page of calls at 1,000 events/s", "frames/s", "≥ 50"),
      own("the page of calls at 1,000 events/s", "MB more heap", "≤ 10 MB"),
    ],
    subjects: [haft(followEvents)],
  },
  {
    title: "Calls by haft serve while somebody scrolls and filters",
    isInstalled: true,
    rows: [
      {
        what: "a call by `haft serve` while somebody scrolls and filters",
        figure: "p99, ms",
        ours: "haft",
        floor: "floor: nobody looks",
        reach: "≤ 1.05 × the floor",
        paths,
      },
    ],
    subjects: [haft(() => timeCalls(true)), { name: "floor: nobody looks", measure: () => timeCalls(false) }],
  },
  {
    title: "Memory of haft serve",
    isInstalled: true,
    rows: [
      own("resident memory of `haft serve`", "MiB a further console", "≤ 5 MiB"),
      own("resident memory of `haft serve`", "MiB the first console"),
    ],
    subjects: [haft(measureMemory)],
  },
]);
