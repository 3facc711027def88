import type { Browser, Page } from "playwright-core";
import { chromiumPath, launchChromium } from "../../test/support/chromium.ts";

/** A Chromium that has just been started. */
export async function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined)
    throw new Error("Cannot measure the console: there is no Chromium (`apt install chromium`)");
  return launchChromium();
}

/** Sees to it that the page notes when its first row of a list is there. */
export async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(`(() => {
    const look = () => {
      if (document.querySelector(".list-row")) globalThis.rowsAt = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  })()`);
  return page;
}

/** When something of the page was first painted, in ms from the beginning of its loading. */
export function readFirstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") resolve(entry.startTime);
    }).observe({ type: "paint", buffered: true });
  })`);
}

/** When the first row of the list was there, in ms from the beginning of the page's loading. */
export async function readFirstRows(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => (globalThis.rowsAt === undefined ? requestAnimationFrame(look) : resolve(globalThis.rowsAt));
    look();
  })`);
}

/**
 * How long each frame of some seconds took, in ms.
 *
 * @param move what is done in each, of the share of the time that is over
 */
export function readFrames(page: Page, ms: number, move = "() => {}"): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const move = ${move};
    const frames = [];
    const begin = performance.now();
    let last;
    const step = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      move(Math.min(1, (performance.now() - begin) / ${ms}));
      if (performance.now() - begin < ${ms}) requestAnimationFrame(step);
      else resolve(frames);
    };
    requestAnimationFrame(step);
  })`);
}

/** How long it takes until the part of the list that is seen has its rows, in ms. */
export function waitForRows(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const begin = performance.now();
    const look = () => {
      const list = document.querySelector(".list-rows").getBoundingClientRect();
      const seen = [...document.querySelectorAll(".list-row")].filter((row) => {
        const box = row.getBoundingClientRect();
        return box.bottom > list.top + 1 && box.top < list.bottom - 1;
      });
      if (seen.length > 10) resolve(performance.now() - begin);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** What the page holds once all that is not needed is gone, in MB. */
export async function readHeap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / 1e6;
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;
}
