import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

const ready = '[data-ready="true"]';

describeInChromium("the pages of memory", (browser) => {
  test("a memory is found by a word, edited, and the edit is taken back", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "memory" });
    await page.keyboard.press("/");
    await page.keyboard.type("nuts");
    await page.locator("main").getByText("Found: by its words and its meaning").waitFor();
    await eventually(() => new URL(page.url()).search, "?q=nuts");
    await page.locator(".memory-rows a").first().click();
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel("The text of the entry");
    const before = await field.inputValue();
    await field.fill("Ada may eat nuts again.");
    await page.keyboard.press("Control+Enter");
    const text = page.getByRole("region", { name: "The text", exact: true });
    await eventually(() => text.textContent(), "Ada may eat nuts again.");
    const diff = page.locator(".versions .memory-diff");
    await eventually(() => diff.first().getAttribute("data-kind"), "removed");
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Undo$/ }));
    await eventually(() => text.textContent(), before);
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Redo$/ }));
    await eventually(() => text.textContent(), "Ada may eat nuts again.");
    expect(faults).toEqual([]);
  });

  test("what somebody else changed meanwhile is shown, and nothing is written over it unseen", async () => {
    const { page, fixture, visit } = await openConsole(browser);
    // No stream tells of the change, as it does in the next test: the server refuses what was written meanwhile.
    await page.route("**/stream*", (route) => route.abort());
    await visit("memory/entry/m_1");
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel("The text of the entry");
    await field.fill("mine");
    fixture.memory.change("m_1", "theirs");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("main").getByText("CONSOLE_CHANGED").waitFor();
    const theirs = page.getByRole("region", { name: "The text as it is now" });
    await eventually(() => theirs.textContent(), "theirs");
    expect(await field.inputValue()).toBe("mine");
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Go on with mine, over that" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const text = page.getByRole("region", { name: "The text", exact: true });
    await eventually(() => text.textContent(), "mine");
  });

  test("facts are edited by themselves, and those that were not touched are not sent", async () => {
    const { page, fixture, visit, faults } = await openConsole(browser);
    await visit("memory/entry/m_1");
    await page.getByRole("button", { name: "Change the facts" }).click();
    const save = page.getByRole("button", { name: "Save the facts" });
    expect(await save.isDisabled()).toBe(true);
    const posted = page.waitForRequest((request) => request.url().endsWith("/facts"));
    await page.getByLabel("Tags").fill("health, food,, food ");
    await page.keyboard.press("Enter");
    expect((await posted).postDataJSON()).toEqual({ revision: 3, tags: ["health", "food"] });
    await page.locator(".facts", { hasText: "health, food" }).waitFor();
    await eventually(() => page.locator(":focus").textContent(), "Change the facts");
    await page.getByRole("button", { name: "Change the facts" }).click();
    await page.getByLabel("Title").fill("mine");
    fixture.memory.change("m_1", "theirs");
    // The page may have heard of it already; else the server refuses.
    await page.keyboard.press("Enter");
    await page.locator("main").getByText("The entry was changed while you wrote.").waitFor();
    await page.getByRole("button", { name: "Go on with mine, over that" }).click();
    await save.click();
    await page.getByRole("heading", { name: "mine" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a change that is told while one writes is shown before anything is sent", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "memory/entry/m_1" });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("The text of the entry").fill("mine");
    await eventually(() => fixture.countStreams(), 1);
    fixture.memory.change("m_1", "theirs");
    fixture.emit([{ kind: "memory", id: "m_1" }]);
    await page.locator("main").getByText("The entry was changed while you wrote").waitFor();
    await page.getByRole("button", { name: "Drop mine, edit that" }).click();
    expect(await page.getByLabel("The text of the entry").inputValue()).toBe("theirs");
  });

  test("filters and pages stand in the address, and the command lists the same", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "memory" });
    await page.locator(".memory-rows").waitFor();
    await page.getByRole("link", { name: "Next 50" }).click();
    await eventually(() => page.locator(".memory-rows li").count(), 10);
    await page.getByLabel("Trust").selectOption("untrusted");
    await eventually(() => page.locator(".memory-rows li").count(), 1);
    expect(new URL(page.url()).search).toBe("?trust=untrusted");
    await page.getByLabel("Kind").selectOption("note");
    await page.locator("main").getByText("No entry fits").waitFor();
    expect(await page.locator(".in-terminal code").textContent()).toBe(
      "haft memory list --kind note --trust untrusted",
    );
    await page.getByRole("button", { name: "Show all entries" }).click();
    await eventually(() => page.locator(".memory-rows li").count(), 50);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "people/ada" }).waitFor();
    await page.getByLabel("Share with").selectOption("scout");
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Share$/ }));
    await page.locator(".done", { hasText: "Shared with scout." }).waitFor();
    expect(fixture.requests).toContain("POST /memory/entries/m_1/share");
  });

  test("a key counts from the moment that the rows are there", async () => {
    const { page } = await openConsole(browser, "full", { path: "memory?trust=untrusted" });
    await eventually(() => page.locator(".memory-rows li").count(), 1);
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelectorAll(".memory-rows li").length !== 50) return;
      observer.disconnect();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "j" }));
      window.focusedRow = document.activeElement.closest("li") !== null;
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByLabel("Trust").selectOption("");
    await eventually(() => page.evaluate("window.focusedRow"), true);
  });

  test("erasing asks first, and what was deleted is listed and restored", async () => {
    const { page, fixture, visit } = await openConsole(browser, "full", { path: "memory/entry/m_1" });
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Delete$/ }));
    await page.locator(`button${ready}`, { hasText: /^Restore$/ }).waitFor();
    await visit("memory?show=deleted");
    await eventually(() => page.locator(".memory-rows li").count(), 1);
    await page.locator(".memory-rows a").click();
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Restore$/ }));
    await page.locator(`button${ready}`, { hasText: /^Delete$/ }).waitFor();
    await page.getByRole("button", { name: "Erase for good this entry" }).click();
    await eventually(() => page.evaluate("document.activeElement.textContent"), "Keep it");
    await page.keyboard.press("Enter");
    expect(fixture.requests).not.toContain("POST /memory/entries/m_1/erase");
    await page.getByRole("button", { name: "Erase for good this entry" }).click();
    await clickGuarded(page.locator(`.confirm button${ready}`));
    await eventually(() => fixture.requests.includes("POST /memory/entries/m_1/erase"), true);
    await page.locator(".done", { hasText: "are erased" }).waitFor();
  });

  test("what stands in every prompt is shown with its tokens", async () => {
    const { page } = await openConsole(browser, "full", { path: "memory/prompt" });
    await page.locator("main").getByText("812 of 2,000 tokens, 2 entries have no room").waitFor();
    await page.getByLabel("Room in the prompt").selectOption("500");
    await eventually(() => new URL(page.url()).search, "?budget=500");
    await eventually(
      () => page.locator(".in-terminal code").textContent(),
      "haft memory context --budget 500",
    );
  });

  test("the graph is drawn, listed for those who do not see it, and shown as it was", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "memory/graph?name=ada" });
    await page.locator(".memory-rows a").click();
    await page.locator(`.graph-canvas${ready}`).waitFor();
    const inked = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector(".graph-canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    })()`);
    expect(inked).toBeGreaterThan(1000);
    await eventually(() => page.locator(".relations > li").count(), 23);
    const slider = page.locator(".time-slider input");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.locator(".relations").getByText("lived in").waitFor();
    await eventually(() => page.locator(".relations > li").count(), 24);
    expect(new URL(page.url()).searchParams.get("at")).toMatch(/^\d+$/);
    await page.getByRole("button", { name: "Now", exact: true }).click();
    await eventually(() => page.locator(".relations > li").count(), 23);
    await page.locator(".relations").getByRole("button", { name: "Thing 3", exact: true }).first().click();
    await eventually(() => new URL(page.url()).pathname, "/console/memory/graph/n_3");
    expect(faults).toEqual([]);
  });
});
