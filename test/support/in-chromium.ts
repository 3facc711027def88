import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, launchChromium } from "./chromium.ts";
import { needs } from "./needs.ts";

/** The Chromium of a group of tests, which makes contexts for them. */
export type SharedChromium = Pick<Browser, "newContext">;

/** Describes tests that share one Chromium. It starts before the first and is closed after the last. */
export function describeInChromium(name: string, define: (browser: SharedChromium) => void): void {
  describe(`${name}, in Chromium`, needs("chromium", chromiumPath !== undefined), () => {
    const started = Promise.withResolvers<Browser>();
    beforeAll(async () => {
      started.resolve(launchChromium());
      await started.promise;
    });
    afterAll(async () => (await started.promise).close());
    define({ newContext: async (options) => (await started.promise).newContext(options) });
  });
}
