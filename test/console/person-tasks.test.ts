import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, followNav } from "./open-console.ts";
import { connectAgent, openTab, serve } from "./served-console.ts";
import { clickGuarded } from "./settled-page.ts";

describeInChromium("a person at the console of haft serve, with tasks", (browser) => {
  test("stops a task that an agent works on, sends it back with feedback, and skips it", async () => {
    const place = new Place();
    const url = await serve(place, "0", ["--profile", "queue"]);
    const { page, faults } = await openTab(browser, place);
    await followNav(page, "Tasks");
    await page.locator("main").getByText("There are no tasks").waitFor();
    const agent = await connectAgent(place, url);
    const use = async (name: string, args: Readonly<Record<string, unknown>>) => {
      const result = await agent.callTool({ name, arguments: args });
      expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
      return result.structuredContent as Readonly<Record<string, unknown>>;
    };
    const { created: first } = await use("create_task", { title: "Bake the bread" });
    const { created: next } = await use("create_task", { title: "Sell it", depends_on: [first] });
    await use("claim_task", { task_id: first });
    const column = (name: string) => page.locator(`[data-column="${name}"] .task-title`);
    await eventually(() => column("working").allTextContents(), ["Bake the bread"]);
    await eventually(() => column("waiting").allTextContents(), ["Sell it"]);
    await column("working").click();
    const button = (name: string) =>
      page.locator('button[data-ready="true"][aria-disabled="false"]', { hasText: name });
    await clickGuarded(button("Stop"));
    await page.locator(".done", { hasText: "blocked" }).waitFor();
    await page.getByLabel("Feedback").fill("With rye");
    await clickGuarded(button("Send back with feedback"));
    await page.locator(".done", { hasText: "ready" }).waitFor();
    const taken = await agent.callTool({ name: "claim_task", arguments: {} });
    expect(JSON.stringify(taken.content)).toContain("With rye");
    await clickGuarded(button("Stop"));
    await clickGuarded(button("Go on without it"));
    await page.locator(".done", { hasText: `${String(next)} can begin` }).waitFor();
    await page.getByRole("link", { name: "All tasks" }).click();
    await eventually(() => column("ready").allTextContents(), ["Sell it"]);
    await eventually(() => column("done").allTextContents(), ["Bake the bread"]);
    expect(faults).toEqual([]);
  });
});
