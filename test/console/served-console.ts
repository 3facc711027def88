import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { Place } from "../e2e/cli-process.ts";
import type { SharedChromium } from "../support/in-chromium.ts";

/** A server in the background, ended with the test. */
export async function serve(place: Place, port = "0"): Promise<string> {
  const started = await place.run(["serve", "--detach", "--json", "--port", port]);
  expect(started).toMatchObject({ exitCode: 0 });
  const { pid, url } = JSON.parse(started.stdout) as { readonly pid: number; readonly url: string };
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was stopped.
    }
  });
  return url;
}

/** A tab that a person opened with a link of `haft console`, and all that it complained of. */
export async function openTab(
  browser: SharedChromium,
  place: Place,
): Promise<{ page: Page; faults: readonly string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  await followLink(page, place);
  return { page, faults };
}

/** Opens the console with a new link, and waits until changes are told. */
export async function followLink(page: Page, place: Place): Promise<void> {
  const { stdout } = await place.run(["console", "--print"]);
  await page.goto(stdout.trim());
  await page.getByRole("heading", { name: "Now", exact: true }).waitFor();
  await page.locator('.connection[data-state="live"]').waitFor();
}
