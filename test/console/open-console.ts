import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, inject, onTestFinished, vi } from "vitest";
import type { SharedChromium } from "../support/in-chromium.ts";
import { noteFaults } from "./note-faults.ts";
import { type FixtureConsole, type FixtureKind, serveFixture } from "./serve-fixture.ts";
import { untilSettled, watchRequests } from "./settled-page.ts";

/** A console in a tab of its own, with all that it complained of. */
export interface OpenConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly fixture: FixtureConsole;
  /** Violations of the page's policy, errors that nobody caught, and messages of errors. */
  readonly faults: readonly string[];
  /** Goes to a page of the console and waits until all of it is there. */
  readonly visit: (path: string) => Promise<void>;
}

/** Opens the console by its link. All of it is gone when the test is over. */
export async function openConsole(
  browser: SharedChromium,
  kind: FixtureKind = "full",
  options: BrowserContextOptions & {
    readonly head?: number;
    readonly path?: string;
    readonly pin?: string;
    /** A text that stands before every text of all answers. */
    readonly canary?: string;
  } = {},
): Promise<OpenConsole> {
  const { head, pin, canary, path = "", ...rest } = options;
  const fixture = await serveFixture(`${inject("built")}/dist/console`, kind, {
    ...(head !== undefined && { head }),
    ...(pin !== undefined && { pin }),
  });
  if (canary !== undefined) fixture.setCanary(canary);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...rest });
  onTestFinished(async () => {
    await context.close();
    await fixture.close();
  });
  const page = await context.newPage();
  const faults = noteFaults(page);
  watchRequests(page);
  await page.goto(fixture.link.replace("/console/#", `/console/${path}#`));
  await page.locator("h1").first().waitFor();
  await untilSettled(page);
  const visit = async (to: string) => {
    await page.goto(`${fixture.url}/console/${to}`);
    await page.locator("h1").first().waitFor();
    await untilSettled(page);
  };
  return { page, context, fixture, faults, visit };
}

/** Goes to a page by the list of pages. Pages have links of the same names in their texts. */
export async function followNav(page: Page, name: string): Promise<void> {
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: new RegExp(`^${name}\\b`) }).click();
}

/** Presses two keys, the second right behind the first: it does not count if it comes a while later. */
export async function pressBoth(page: Page, one: string, other: string): Promise<void> {
  await Promise.all([page.keyboard.press(one), page.keyboard.press(other)]);
}

/** Waits until a value is as it should be. */
export async function eventually<Value>(read: () => Promise<Value> | Value, wanted: Value): Promise<void> {
  await vi.waitFor(async () => expect(await read()).toEqual(wanted), { timeout: 30_000, interval: 30 });
}
