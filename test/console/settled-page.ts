import type { Locator, Page, Request } from "playwright-core";
import { expect, vi } from "vitest";

/** The requests of each page that are under way, without its stream of changes, which stays open. */
const underWay = new WeakMap<Page, ReadonlySet<Request>>();

/** Notes from now on which requests of a page are under way. */
export function watchRequests(page: Page): void {
  const asked = new Set<Request>();
  underWay.set(page, asked);
  page.on("request", (one) => {
    // The document that asked for the others is left.
    if (one.isNavigationRequest()) asked.clear();
    if (!new URL(one.url()).pathname.endsWith("/stream")) asked.add(one);
  });
  page.on("requestfinished", (one) => void asked.delete(one));
  page.on("requestfailed", (one) => void asked.delete(one));
}

/** Waits until a page has all that it asked for: what comes later could replace what a test reads, or move it. */
export async function untilSettled(page: Page): Promise<void> {
  let calm = 0;
  await vi.waitFor(
    async () => {
      const loading = await page.locator(".loading").count();
      const asked = Array.from(underWay.get(page) ?? [], (one) => one.url());
      calm = loading === 0 && asked.length === 0 ? calm + 1 : 0;
      // An answer that was drawn may ask for another one.
      expect(calm, `${loading} parts load, and the page asks for ${asked.join()}`).toBeGreaterThan(1);
    },
    { timeout: 60_000, interval: 30 },
  );
}

/** Clicks a button that does nothing right after it has moved, once no answer is under way that could move it. */
export async function clickGuarded(button: Locator): Promise<void> {
  await button.waitFor();
  await untilSettled(button.page());
  await button.click();
}
