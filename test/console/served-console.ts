import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { Place } from "../e2e/cli-process.ts";
import type { SharedChromium } from "../support/in-chromium.ts";
import { noteFaults } from "./note-faults.ts";
import { watchRequests } from "./settled-page.ts";

/** A server in the background, ended with the test. */
export async function serve(place: Place, port = "0", options: readonly string[] = []): Promise<string> {
  const started = await place.run(["serve", "--detach", "--json", "--port", port, ...options]);
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
  const faults = noteFaults(page);
  watchRequests(page);
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

/** An agent's client of the server, which can't ask anybody itself. */
export async function connectAgent(place: Place, url: string): Promise<Client> {
  const client = new Client({ name: "an agent", version: "1.0.0" });
  const token = readFileSync(join(place.home, "token"), "utf8").trim();
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as Parameters<Client["connect"]>[0],
  );
  onTestFinished(() => client.close());
  return client;
}
