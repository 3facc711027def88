import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { longOutput } from "./fixture-calls.ts";
import { hostile } from "./fixture-data.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

const million = 1_999_999;

/** The ids of the rows that are seen, from the first to the last. */
function listSeen(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const list = document.querySelector(".list-rows").getBoundingClientRect();
    return [...document.querySelectorAll(".list-row")]
      .map((row) => ({ id: row.id, box: row.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > list.top + 1 && box.top < list.bottom - 1)
      .toSorted((a, b) => a.box.top - b.box.top)
      .map(({ id }) => id.slice(4));
  })()`);
}

describeInChromium("the pages of calls", (browser) => {
  test("a million calls open at the newest; a jump anywhere shows the rows of that place; few nodes hold them", async () => {
    const { page, faults } = await openConsole(browser, "full", { head: million, path: "calls" });
    await page.locator(".histogram").waitFor();
    await eventually(async () => (await listSeen(page))[0], String(million));
    for (const share of [0.5, 0.9, 0.1]) {
      await page.evaluate(
        `(() => { const list = document.querySelector(".list-rows"); list.scrollTop = ${share} * (list.scrollHeight - list.clientHeight); })()`,
      );
      await eventually(async () => {
        const seen = (await listSeen(page)).map(Number);
        return seen.length > 15 && Math.abs((seen[0] ?? 0) / million - (1 - share)) < 0.001;
      }, true);
    }
    await page.locator(".list-rows").focus();
    await page.keyboard.press("End");
    await eventually(async () => (await listSeen(page)).at(-1), "1");
    await page.keyboard.press("Home");
    await eventually(async () => (await listSeen(page))[0], String(million));
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1200);
    expect(faults).toEqual([]);
  });

  test("a call is chosen and opened by keys alone, and the way back leads to the list", async () => {
    const { page } = await openConsole(browser, "full", { path: "calls" });
    await page.locator(".list-row").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.locator('.list-row[aria-selected="true"]').getAttribute("id"), "row-3999");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Call of github_create_issue" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/calls/c_3999");
    await page.goBack();
    await page.locator(".list-row").first().waitFor();
  });

  test("what narrows the list is in the address, in the request and in the command of the terminal", async () => {
    const { page, fixture, visit } = await openConsole(browser, "full", { path: "calls" });
    await page.locator(".list-row").first().waitFor();
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByLabel("Text").fill("file-1 it's");
    await page.locator(".empty").waitFor();
    expect(new URL(page.url()).search).toBe("?text=file-1+it%27s&states=failed");
    expect(fixture.requests).toContain("GET /calls?text=file-1+it%27s&states=failed&limit=80");
    expect(await page.locator(".in-terminal code").textContent()).toBe(
      `haft audit --text 'file-1 it'\\''s' --outcome failed`,
    );
    await page.getByRole("button", { name: "Show all calls" }).click();
    await page.locator(".list-row").first().waitFor();
    await visit("calls?states=denied&session=s_1&last=30d");
    await page.locator(".list-row").first().waitFor();
    expect(await page.getByLabel("Outcome").inputValue()).toBe("denied");
    expect(new Set(await page.locator(".list-row .state").allTextContents())).toEqual(new Set(["⊘denied"]));
    await page.getByRole("button", { name: "Remove the filter session" }).click();
    await eventually(() => new URL(page.url()).search, "?states=denied&last=30d");
  });

  test("a chosen list of many pages is scrolled by the time that its calls were made in", async () => {
    const { page } = await openConsole(browser, "full", { head: 40_001, path: "calls?tools=bash" });
    await page.locator(".histogram").waitFor();
    await eventually(
      async () => page.evaluate<boolean>("document.querySelector('.list-rows').scrollHeight > 60000"),
      true,
    );
    await page.evaluate(
      `(() => { const list = document.querySelector(".list-rows"); list.scrollTop = 0.5 * (list.scrollHeight - list.clientHeight); })()`,
    );
    await eventually(async () => {
      const seen = (await listSeen(page)).map(Number);
      return seen.length > 15 && Math.abs((seen[0] ?? 0) / 40_001 - 0.5) < 0.03;
    }, true);
    expect(new Set(await page.locator(".list-row .c-tool").allTextContents())).toEqual(new Set(["bash"]));
  });

  test("a list that waits for calls to be indexed says how far that is", async () => {
    const { page, fixture } = await openConsole(browser);
    const { promise: indexed, resolve: finish } = Promise.withResolvers<void>();
    await page.route("**/api/v1/calls?*", async (route) => {
      await indexed;
      await route.continue();
    });
    await page.route("**/api/v1/indexing", (route) =>
      route.fulfill({ json: { indexing: { part: "texts", rows: 40_960, of: 1_000_000 } } }),
    );
    await page.goto(`${fixture.url}/console/calls?text=word`);
    await eventually(
      () => page.locator(".loading").textContent(),
      "Texts of calls are being indexed: 40,960 of 1,000,000 rows",
    );
    finish();
    await page.locator(".loading").waitFor({ state: "detached" });
  });

  test("new calls come on top by themselves", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "calls" });
    await eventually(async () => (await listSeen(page))[0], "4001");
    fixture.setHead(4005);
    fixture.emit([{ kind: "call", id: "c_4005" }]);
    await eventually(async () => (await listSeen(page)).slice(0, 3), ["4005", "4003", "4001"]);
  });

  test("a call shows its arguments, result, decision, notes and proof, and markup in any of it is text", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "calls/c_3997" });
    await page.getByRole("heading", { name: "Call of memory_search" }).waitFor();
    await expect
      .poll(() => page.locator(".notes li").last().textContent())
      .toBe("<img src=x onerror=alert(1)> ⟨U+202E⟩cod.exe ⟨U+200B⟩␛[2J");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.locator(".long-text .fg-2").textContent()).toBe("index.ts");
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.locator("main").getByText("Whole: 4,001 rows verified, up to row 4,001.").waitFor();
    await page.locator("main").getByText("Allow this by a rule").click();
    expect(await page.getByRole("region", { name: "The rule" }).textContent()).toContain(
      '{"decision":"allow","tool":"memory_search","arguments":{"path":"/home/ada/shop/src/module-58/file-1998.ts"}}',
    );
    await page.locator(".inner-calls a").first().click();
    await eventually(() => new URL(page.url()).pathname, "/console/calls/c_3995");
    expect(faults).toEqual([]);
  });

  test("a call's changes are undone by a button that has to stand still first", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "calls/c_3997" });
    const button = page.getByRole("button", { name: "Undo its changes of 1 file" });
    await button.waitFor();
    await clickGuarded(page.locator('button[data-ready="true"]', { hasText: "Undo" }));
    await page.locator("main").getByText("1 file is as it was before.").waitFor();
    expect(fixture.requests).toContain("POST /calls/c_3997/undo");
  });

  test("a replay says what is different now, and a call is copied as a policy test", async () => {
    const { page, context, fixture, visit, faults } = await openConsole(browser);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await visit("calls/c_3997");
    await clickGuarded(page.locator('button[data-ready="true"]', { hasText: "Replay it" }));
    await page.locator("main").getByText("It is different now.").waitFor();
    expect(fixture.requests).toContain("POST /calls/c_3997/replay");
    const recorded = page.getByRole("region", { name: "As it was recorded" });
    expect(await recorded.textContent()).toContain("<img src=x onerror=alert(1)> ⟨U+202E⟩cod.exe");
    expect(await page.getByRole("region", { name: "As it is now" }).textContent()).toBe("total 4");
    const ran = page.getByRole("link", { name: "What the replay ran" });
    expect(await ran.getAttribute("href")).toBe("/console/calls?taskId=replay%3Ac_3997");
    await page.getByRole("button", { name: "Copy as a policy test" }).click();
    await eventually(
      () => page.evaluate("navigator.clipboard.readText()"),
      'policyTests:\n  - {"tool":"memory_search","arguments":{"path":"/home/ada/shop/src/module-58/file-1998.ts","limit":200},"agent":"writer","channel":"mcp","expect":"allow","by":"inside the folder"}\n',
    );
    expect(faults).toEqual([]);
  });

  test("the whole output is read in parts, each with an address, and saved as a file", async () => {
    const { page, visit, faults } = await openConsole(browser);
    await visit("calls/c_3997");
    await page.getByRole("link", { name: "The whole output" }).click();
    await page.getByRole("heading", { name: "The whole output" }).waitFor();
    await expect
      .poll(() => page.locator(".in-terminal code").textContent())
      .toMatch(/^haft call artifact_read -a id=a_/);
    const first = page.getByRole("region", { name: "The output, characters 1 to 20,000" });
    expect(await first.textContent()).toContain("<img src=x onerror=alert(1)> ⟨U+202E⟩cod.exe ⟨U+200B⟩");
    await page.getByRole("link", { name: "Last" }).click();
    await page.locator(".output-page pre", { hasText: "the end" }).waitFor();
    expect(new URL(page.url()).searchParams.get("offset")).toBe(String(longOutput.length - 20_000));
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save all of it" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("a_0123456789abcdefghij.txt");
    expect(readFileSync(await saved.path(), "utf8")).toBe(longOutput);
    await page.locator("main").getByText("Saved as a_0123456789abcdefghij.txt.").waitFor();
    expect(faults).toEqual([]);
  });

  test("a call that is not there says so, and what lists them", async () => {
    const { page } = await openConsole(browser, "full", { path: "calls/c_99999999" });
    expect(await page.getByRole("alert").textContent()).toContain("CALL_NOT_FOUND");
  });

  test("all of the corpus of invisible characters is shown as what it is", async () => {
    const corpus = JSON.parse(readFileSync("test/corpora/invisible.json", "utf8")) as readonly {
      readonly text: string;
      readonly console: string;
    }[];
    const { page, fixture, visit, faults } = await openConsole(browser);
    fixture.note(corpus.map(({ text }) => text).concat(hostile));
    await visit("calls/c_3999");
    await page.locator(".notes li").first().waitFor();
    expect((await page.locator(".notes li").allTextContents()).slice(0, corpus.length)).toEqual(
      corpus.map((one) => one.console),
    );
    expect(faults).toEqual([]);
  });
});
