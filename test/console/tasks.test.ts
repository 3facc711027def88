import { expect, test } from "vitest";
import { layOutLayers } from "../../console/src/pages/tasks/layers.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

const ready = '[data-ready="true"]';

describeInChromium("the page of tasks", (browser) => {
  test("the board is walked by keys, narrowed by the address, and changes as tasks do", async () => {
    const { page, fixture, faults } = await openConsole(browser, "full", { path: "tasks" });
    const column = (name: string) => page.locator(`[data-column="${name}"] .task-card`);
    await eventually(() => column("person").count(), 2);
    expect(await column("waiting").nth(1).textContent()).toContain("waits for brave-fox, swift-jay");
    await eventually(() => fixture.countStreams(), 1);
    fixture.tasks.change("calm-owl", { state: "READY", waits: [{ for: "worker" }] });
    fixture.emit([{ kind: "task", id: "calm-owl" }]);
    await eventually(() => column("ready").count(), 7);
    await page.getByLabel("Project").selectOption("site");
    await page.locator("main").getByText("Nothing waits for you.").waitFor();
    expect(new URL(page.url()).search).toBe("?project=site");
    expect(await page.locator(".in-terminal code").textContent()).toBe(
      "haft tasks list --all --project site",
    );
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Publish the shop" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/tasks/wise-bee");
    expect(faults).toEqual([]);
  });

  test("a running task is stopped, and sent back with feedback that its next worker reads", async () => {
    const { page, fixture, faults } = await openConsole(browser, "full", { path: "tasks/brave-fox" });
    await page
      .getByRole("region", { name: "What the agent says and does" })
      .locator(".said")
      .first()
      .waitFor();
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Stop$/ }));
    await page.locator(".done", { hasText: "Task brave-fox: blocked." }).waitFor();
    await page.getByLabel("Feedback").fill("Keep the names");
    await clickGuarded(
      page.locator(`button${ready}[aria-disabled="false"]`, { hasText: "Send back with feedback" }),
    );
    await page.getByRole("region", { name: "Note 2" }).getByText("Keep the names").waitFor();
    expect(await page.getByLabel("Feedback").inputValue()).toBe("");
    expect(fixture.requests.filter((one) => one.startsWith("POST /tasks"))).toEqual([
      "POST /tasks/brave-fox/act",
      "POST /tasks/brave-fox/act",
    ]);
    expect(faults).toEqual([]);
  });

  test("an approval takes the owner's PIN, and nothing is done to a task that changed meanwhile", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "tasks/proud-yak" });
    fixture.setPin("1234");
    const approve = page.locator(`button${ready}[aria-disabled="false"]`, { hasText: /^Approve$/ });
    await clickGuarded(approve);
    await page.getByLabel("The owner's PIN").fill("1234");
    fixture.tasks.change("proud-yak", { title: "Delete this year's orders" });
    await clickGuarded(approve);
    await page.locator("main").getByText("CONSOLE_CHANGED").waitFor();
    await page.getByRole("heading", { name: "Delete this year's orders" }).waitFor();
    await clickGuarded(approve);
    await page.locator(".done", { hasText: "Task proud-yak: done." }).waitFor();
  });

  test("the graph is drawn from left to right, and listed for those who do not see it", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "tasks/graph" });
    await eventually(() => page.locator(".graph-box").count(), 5);
    expect(await page.locator(".graph-edge").count()).toBe(5);
    const place = async (title: string) =>
      (await page.locator(".graph-box", { hasText: title }).boundingBox())?.x ?? 0;
    expect(await place("Take the prices")).toBeLessThan(await place("Write the tests"));
    expect(await place("Write the tests")).toBeLessThan(await place("Publish"));
    const list = page.getByRole("list", { name: "Tasks and what they wait for" });
    expect(await list.locator("li").nth(2).textContent()).toContain(
      "Write the tests of the catalogue after Take",
    );
    await list.getByRole("link", { name: "Publish the shop" }).click();
    await page.getByRole("heading", { name: "Publish the shop" }).waitFor();
    await page.getByRole("link", { name: "All of this as a graph" }).click();
    await eventually(() => new URL(page.url()).searchParams.get("task"), "wise-bee");
    expect(faults).toEqual([]);
  });
});

test("each task of a graph is to the right of all that it waits for, whatever their order", () => {
  const ids = ["d", "c", "b", "a", "x"];
  const edges = [
    ["a", "b"],
    ["b", "d"],
    ["a", "d"],
    ["a", "c"],
  ] as const;
  const places = layOutLayers(ids, edges);
  expect(places.size).toBe(5);
  for (const [before, after] of edges)
    expect(places.get(before)?.layer).toBeLessThan(places.get(after)?.layer ?? 0);
  const taken = Array.from(places.values(), ({ layer, row }) => `${layer} ${row}`);
  expect(new Set(taken).size).toBe(5);
});
