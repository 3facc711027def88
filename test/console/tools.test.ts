import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

describeInChromium("the page of tools", (browser) => {
  test("the list is narrowed and ordered by what is in the address", async () => {
    const { page, visit, faults } = await openConsole(browser, "full", { path: "tools" });
    const names = () => page.locator(".tools-table .row-link").allTextContents();
    await eventually(async () => (await names()).length, 8);
    await page.keyboard.press("/");
    await page.keyboard.type("READ no more");
    await eventually(names, ["read"]);
    await eventually(() => new URL(page.url()).searchParams.get("text"), "READ no more");
    await visit("tools?pack=github&sort=calls");
    await eventually(names, ["make_all", "github_create_issue"]);
    await page.getByLabel("Count tokens for").selectOption("gemini");
    await page.locator("main").getByText("haft tools --cost --target gemini").waitFor();
    await page.getByLabel("Pack or server").selectOption("");
    await eventually(async () => (await names()).length, 8);
    await page.locator("h1").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "make_all" }).or(page.locator(".tool-columns")).first().waitFor();
    await page.getByRole("link", { name: "Gemini" }).click();
    await eventually(() => new URL(page.url()).search, "?target=gemini");
    expect(faults).toEqual([]);
  });

  test("form and JSON are one value: each shows what the other says", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "tools/read/try" });
    const json = page.getByLabel("Arguments as JSON");
    const value = async () => JSON.parse(await json.inputValue()) as unknown;
    await eventually(value, { title: "", count: 1 });
    await page.getByLabel("title", { exact: true }).fill("Two\nlines");
    await page.getByLabel("count", { exact: true }).fill("7");
    await page.getByRole("button", { name: "Set level" }).click();
    await page.getByLabel("level", { exact: true }).selectOption("3");
    await page.getByRole("button", { name: "Set tags" }).click();
    await page.getByRole("button", { name: "Add to tags" }).click();
    await page.getByLabel("tags 1", { exact: true }).fill("red");
    await page.getByRole("button", { name: "Set place" }).click();
    await page.getByLabel("place city").fill("Bern");
    await page.getByRole("button", { name: "Set place zip" }).click();
    await page.getByLabel("place zip: which kind").selectOption({ label: "null" });
    await page.getByRole("button", { name: "Set target" }).click();
    await page.getByLabel("target: which kind").selectOption({ label: 'kind: "url"' });
    await page.getByLabel("target url").fill("https://example.com");
    await page.getByRole("button", { name: "Set headers" }).click();
    await page.getByRole("button", { name: "Add a key to headers" }).click();
    await page.getByLabel("Key headers key1").fill("Accept");
    await page.getByLabel("headers Accept", { exact: true }).fill("*/*");
    await page.getByRole("button", { name: "Set tree" }).click();
    await page.getByRole("button", { name: "Set tree children" }).click();
    await page.getByRole("button", { name: "Add to tree children" }).click();
    await page.getByLabel("tree children 1 name").fill("leaf");
    await eventually(value, {
      title: "Two\nlines",
      count: 7,
      level: 3,
      tags: ["red"],
      place: { city: "Bern", zip: null },
      target: { kind: "url", url: "https://example.com" },
      headers: { Accept: "*/*" },
      tree: { name: "", children: [{ name: "leaf" }] },
    });
    await json.fill('{"title": "from JSON", "count": 2, "odd": true}');
    await eventually(() => page.getByLabel("title", { exact: true }).inputValue(), "from JSON");
    await page.locator("main").getByText("the tool has no such argument").waitFor();
    expect(await page.getByLabel("place city").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("text that is no JSON is told in its place, stays, and nothing can be run with it", async () => {
    const { page } = await openConsole(browser, "full", { path: "tools/read/try" });
    const json = page.getByLabel("Arguments as JSON");
    await json.fill('{\n  "title": "kept",\n  oops\n}');
    await page.locator("main").getByText("Line 3, column 3").waitFor();
    expect(await json.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("button", { name: "Dry run" }).isDisabled()).toBe(true);
    expect(await page.getByLabel("count", { exact: true }).isDisabled()).toBe(true);
    expect(await json.inputValue()).toContain("oops");
    await page.getByLabel("Arguments as JSON").fill('{"title": "kept", "count": 1}');
    await eventually(() => page.getByLabel("title", { exact: true }).inputValue(), "kept");
    // A number that is none goes into the JSON as it was typed.
    await page.getByLabel("count", { exact: true }).fill("12a");
    await page.locator("main").getByText("This should be a whole number").waitFor();
    expect(JSON.parse(await json.inputValue())).toEqual({ title: "kept", count: "12a" });
  });

  test("a run needs a dry run of the very same arguments, and shows what came of it", async () => {
    const { page, fixture, faults } = await openConsole(browser, "full", { path: "tools/read/try" });
    const run = page.locator('.primary[data-ready="true"]');
    await page.getByLabel("title", { exact: true }).fill("one");
    await run.click({ force: true });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.locator("main").getByText("It would run at once.").waitFor();
    await page.locator("main").getByText("Rule 3 (own file)").waitFor();
    await page.getByLabel("title", { exact: true }).fill("two");
    await page.locator('.primary[aria-disabled="true"]').waitFor();
    await run.click({ force: true });
    expect(fixture.requests).not.toContain("POST /tools/read/run");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.locator("main").getByText("It would run at once.").waitFor();
    await clickGuarded(page.locator('.primary[data-ready="true"][aria-disabled="false"]'));
    await page.locator("main").getByText("somebody outside could have written it").waitFor();
    expect(await page.locator(".arguments").textContent()).toContain('"title": "two"');
    await page.getByRole("link", { name: "The call in the ledger" }).click();
    await eventually(() => new URL(page.url()).pathname, "/console/calls/c_3997");
    expect(faults).toEqual([]);
  });

  test.each([360, 1280])(
    "a dry run moves no button, so that the click behind it counts (%i px)",
    async (width) => {
      const { page, fixture } = await openConsole(browser, "full", {
        path: "tools/read/try",
        viewport: { width, height: 600 },
      });
      await page.getByLabel("title", { exact: true }).fill("one");
      await page.locator('.primary[data-ready="true"]').waitFor();
      await page.evaluate(`(() => {
      const button = document.querySelector(".primary");
      window.moves = [];
      let last;
      const look = () => {
        const { x, y } = button.getBoundingClientRect();
        const place = x + " " + y + " " + button.dataset.ready;
        if (place !== last) window.moves.push(place);
        last = place;
        requestAnimationFrame(look);
      };
      look();
    })()`);
      for (const time of [1, 2]) {
        // As a person does: a click of Playwright's would scroll.
        await page.evaluate(`document.querySelector(".try-acts button").click()`);
        await eventually(() => fixture.requests.filter((one) => one.endsWith("/dry-run")).length, time);
        await page.locator('.primary[aria-disabled="false"]').waitFor();
        if (time === 1) {
          // As far down as it goes: what comes and goes below the buttons would move them.
          await page.evaluate(`document.querySelector("main").scrollTo(0, 100_000)`);
          await page.locator('.primary[data-ready="false"]').waitFor();
          await page.locator('.primary[data-ready="true"]').waitFor();
          await page.evaluate("window.moves.length = 0");
        }
      }
      expect(await page.evaluate("window.moves")).toEqual([]);
      await page.locator(".primary").click();
      await eventually(() => fixture.requests.includes("POST /tools/read/run"), true);
    },
  );

  test("what would be refused can't be run, and a failure has its code", async () => {
    const { page, visit } = await openConsole(browser, "full", { path: "tools/write/try" });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("status").filter({ hasText: "It would be refused." }).first().waitFor();
    expect(await page.locator(".primary").getAttribute("aria-disabled")).toBe("true");
    await visit("tools/fetch_url/try");
    await page.getByRole("button", { name: "Dry run" }).click();
    await clickGuarded(page.locator('.primary[data-ready="true"][aria-disabled="false"]'));
    await page.locator(".fault", { hasText: "HTTP_404" }).waitFor();
  });
});
