// Things that come in another order than usual: answers that are late, keys that are early.
import type { Page, Route } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole, pressBoth } from "./open-console.ts";

/** Holds the requests to an address until each is let go. */
async function hold(page: Page, pattern: RegExp): Promise<readonly Route[]> {
  const held: Route[] = [];
  await page.route(pattern, (route) => void held.push(route));
  onTestFinished(() => page.unrouteAll({ behavior: "ignoreErrors" }));
  return held;
}

/** Lets a request go, and waits until the page has had its answer. */
async function answer(page: Page, route: Route | undefined, how?: Parameters<Route["fulfill"]>[0]) {
  const answered = page.waitForResponse((response) => response.request() === route?.request());
  await (how === undefined ? route?.continue() : route?.fulfill(how));
  await (await answered).finished();
  await page.evaluate("new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))");
}

describeInChromium("what comes in another order", (browser) => {
  test("changes that come faster than answers do not keep a page from having one", async () => {
    const { page, fixture } = await openConsole(browser);
    await eventually(() => fixture.countStreams(), 1);
    await page.locator("main").getByText("Waiting for you").waitFor();
    const held = await hold(page, /\/api\/v1\/memory\?/);
    await pressBoth(page, "g", "m");
    await eventually(() => held.length, 1);
    // Whoever counts the questions has heard of the change, so the page has, too.
    const counted = () => fixture.requests.filter((one) => one === "GET /questions?state=pending").length;
    for (let change = 0; change < 4; change++) {
      const before = counted();
      fixture.emit([
        { kind: "memory", id: "m_1" },
        { kind: "question", id: "q_9" },
      ]);
      await eventually(() => counted() > before, true);
    }
    await held[0]?.continue();
    await page.locator(".memory-rows a").first().waitFor();
  });

  test("a number of questions that comes late does not take the place of a newer one", async () => {
    const { page, fixture } = await openConsole(browser);
    const badge = page.locator(".badge");
    await eventually(() => badge.textContent(), "3 waiting");
    await eventually(() => fixture.countStreams(), 1);
    const held = await hold(page, /\/questions\?state=pending/);
    /** Tells of a question. The page waits longer before it asks than the count does. */
    const tell = async (id: string) => {
      const listed = () => fixture.requests.filter((one) => one === "GET /now").length;
      const before = listed();
      fixture.emit([{ kind: "question", id }]);
      await eventually(() => listed() > before, true);
    };
    await tell("q_1");
    await eventually(() => held.length, 1);
    const stale = await held[0]?.fetch();
    fixture.ask("q_new");
    await tell("q_new");
    const [, second] = held;
    if (second !== undefined) await answer(page, second);
    if (stale !== undefined) await answer(page, held[0], { response: stale });
    await eventually(() => held.length, 2);
    if (second === undefined) await answer(page, held[1]);
    expect(await badge.textContent()).toBe("4 waiting");
  });

  test("what is typed in a search stays while the list answers, a space at its end, too", async () => {
    const { page } = await openConsole(browser, "full", { path: "memory" });
    const field = page.getByLabel("Search", { exact: true });
    await field.pressSequentially("ada ");
    await eventually(() => new URL(page.url()).search, "?q=ada");
    await field.pressSequentially("nuts");
    expect(await field.inputValue()).toBe("ada nuts");
    await field.press("Enter");
    await eventually(() => new URL(page.url()).search, "?q=ada+nuts");
    await page.goBack();
    await page.goForward();
    await eventually(() => page.getByLabel("Search", { exact: true }).inputValue(), "ada nuts");
  });

  test("a letter that is typed before the page has drawn itself is not taken back", async () => {
    const { page } = await openConsole(browser);
    await page.getByRole("link", { name: "Memory" }).waitFor();
    await page.evaluate(`new MutationObserver((_, observer) => {
      const field = document.querySelector(".memory-filters input");
      if (field === null) return;
      observer.disconnect();
      field.value = "n";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      requestAnimationFrame(() => setTimeout(() => {
        window.shown = field.value;
      }));
    }).observe(document.body, { childList: true, subtree: true })`);
    await pressBoth(page, "g", "m");
    await eventually(() => new URL(page.url()).search, "?q=n");
    expect(await page.evaluate("window.shown")).toBe("n");
  });

  test("who opens an editor types into it at once", async () => {
    const { page } = await openConsole(browser, "full", { path: "memory/entry/m_1" });
    await page.getByRole("button", { name: "Edit" }).waitFor();
    const focused = await page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector(".memory-editor") === null) return;
        observer.disconnect();
        resolve(document.activeElement.tagName);
      }).observe(document.body, { childList: true, subtree: true });
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Edit").click();
    })`);
    expect(focused).toBe("TEXTAREA");
  });

  test.each([
    "tools/read/try",
    "questions/q_1",
    "policy/edit",
    "memory/entry/m_1",
    "tasks/keen-elk",
    "servers/github",
  ])("no guarded button of %s changes its size when it can be used: it would not act then", async (path) => {
    const { page } = await openConsole(browser, "full", { path });
    await page.locator("main [data-ready]").first().waitFor();
    const changed =
      await page.evaluate(`[...document.querySelectorAll("main [data-ready]")].filter((button) => {
      const sizes = ["true", "false"].map((value) => {
        button.ariaDisabled = value;
        const { width, height } = button.getBoundingClientRect();
        return width + " " + height;
      });
      return sizes[0] !== sizes[1];
    }).map((button) => button.textContent)`);
    expect(changed).toEqual([]);
  });

  test("a message that is written while the last one is sent stays, and one that could not be sent comes back", async () => {
    const { page } = await openConsole(browser, "full", { path: "chat/s_1" });
    const field = page.getByLabel("Message", { exact: true });
    const held = await hold(page, /\/chat\/send/);
    await field.fill("First");
    await field.press("Enter");
    await eventually(() => held.length, 1);
    expect(await field.inputValue()).toBe("");
    await field.fill("Second");
    await held[0]?.continue();
    await page.locator(".composer .primary:enabled").waitFor();
    expect(await field.inputValue()).toBe("Second");
    await field.press("Enter");
    await eventually(() => held.length, 2);
    await field.fill("Third");
    await held[1]?.abort();
    await page.locator("main").getByText("CONSOLE_OFFLINE").waitFor();
    expect(await field.inputValue()).toBe("Second\nThird");
  });

  test("the answer to an older dry run says nothing of the arguments as they are", async () => {
    const { page } = await openConsole(browser, "full", { path: "tools/read/try" });
    const held = await hold(page, /\/dry-run/);
    const dryRun = page.getByRole("button", { name: "Dry run" });
    await page.getByLabel("title", { exact: true }).fill("one");
    await dryRun.click();
    await eventually(() => held.length, 1);
    await page.getByLabel("title", { exact: true }).fill("two");
    await dryRun.click();
    await eventually(() => held.length, 2);
    await held[1]?.continue();
    await page.locator("main").getByText("It would run at once.").waitFor();
    await answer(page, held[0]);
    expect(await page.locator(".primary").getAttribute("aria-disabled")).toBe("false");
  });
});
