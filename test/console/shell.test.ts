import { expect, test, vi } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, followNav, openConsole, pressBoth } from "./open-console.ts";

describeInChromium("the console around its pages", (browser) => {
  test("the code leaves the address before anything else, and a reload keeps the session", async () => {
    const { page, fixture, faults } = await openConsole(browser);
    expect(page.url()).toBe(`${fixture.url}/console/`);
    await page.getByRole("heading", { name: "Now" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Now" }).waitFor();
    expect(fixture.requests.filter((one) => one === "POST /session")).toHaveLength(1);
    expect(await page.evaluate("[document.cookie, localStorage.length]")).toEqual(["", 0]);
    expect(faults).toEqual([]);
  });

  test("a link that was used, a tab without one and a session that ended say how to open the console", async () => {
    const { page, context, fixture } = await openConsole(browser);
    const second = await context.newPage();
    await second.goto(fixture.link);
    await second.getByRole("heading", { name: "This session is over" }).waitFor();
    expect(second.url()).not.toContain("#");
    const third = await context.newPage();
    await third.goto(`${fixture.url}/console/calls`);
    await third.getByRole("heading", { name: "Open the console from a terminal" }).waitFor();
    expect(await third.locator("main code").textContent()).toBe("haft console");
    fixture.endSession();
    await followNav(page, "Calls");
    await page.getByRole("heading", { name: "This session is over" }).waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("where the owner has a PIN, the link opens nothing without it", async () => {
    const { page, fixture } = await openConsole(browser, "full", { pin: "2468" });
    await page.getByRole("heading", { name: "The owner's PIN" }).waitFor();
    expect(fixture.requests).toEqual(["POST /session"]);
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("1111");
    await page.keyboard.press("Enter");
    await page.locator("main").getByText("This is not the owner's PIN").waitFor();
    await eventually(() => page.locator("input:focus").inputValue(), "");
    await page.keyboard.type("2468");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Now" }).waitFor();
  });

  test("a new link in the same tab opens the console again, and its code leaves the address, too", async () => {
    const { page, fixture } = await openConsole(browser);
    fixture.endSession();
    fixture.endStreams();
    await page.getByRole("heading", { name: "This session is over" }).waitFor();
    fixture.renew();
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(fixture.link).hash)}`);
    await page.getByRole("heading", { name: "Now" }).waitFor();
    expect(page.url()).not.toContain("#");
  });

  test("on a narrow screen the page that is shown is seen in the row of pages", async () => {
    const { page, visit } = await openConsole(browser, "full", { viewport: { width: 360, height: 740 } });
    for (const path of ["doctor", "questions"]) {
      await visit(path);
      await vi.waitFor(async () => {
        const box = await page.locator('nav [aria-current="page"]').boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(36);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(312);
      }, 30_000);
    }
  });

  test("keys go to pages, open the help and the search, and do nothing of it in a field", async () => {
    const { page } = await openConsole(browser);
    await pressBoth(page, "g", "c");
    await page.getByRole("heading", { name: "Calls" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/calls");
    await page.keyboard.press("/");
    await page.keyboard.type("g q?");
    await eventually(() => page.locator("input[data-search]").inputValue(), "g q?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await pressBoth(page, "g", "n");
    await page.getByRole("heading", { name: "Now" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Calls" }).waitFor();
  });

  test("a key right behind the one that closes the help counts", async () => {
    const { page } = await openConsole(browser);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await Promise.all(["Escape", "g", "c"].map((key) => page.keyboard.press(key)));
    await page.getByRole("heading", { name: "Calls" }).waitFor();
  });

  test("the theme follows the system until one is chosen, which stays", async () => {
    const { page } = await openConsole(browser, "full", { colorScheme: "dark" });
    const getBackground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const dark = await getBackground();
    await page.getByRole("button", { name: "Theme: system" }).click();
    await expect.poll(getBackground).not.toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await eventually(getBackground, dark);
  });

  test("one stream is open; one that ends is opened again from the last event, and what it tells is seen", async () => {
    const { page, fixture } = await openConsole(browser);
    await page.locator('.connection[data-state="live"]').waitFor();
    const listStreams = () => fixture.requests.filter((one) => one.startsWith("GET /stream"));
    expect(listStreams()).toEqual(["GET /stream"]);
    const countReads = () => fixture.requests.filter((one) => one === "GET /now").length;
    await page.locator(".figures").waitFor();
    const before = countReads();
    fixture.emit([{ kind: "call", id: "c_1" }]);
    await eventually(() => countReads() > before, true);
    fixture.endStreams();
    await eventually(listStreams, ["GET /stream", "GET /stream?after=1"]);
    await page.locator('.connection[data-state="live"]').waitFor();
  });

  test("a tab that is hidden keeps its stream for a minute, and opens one again when it is seen", async () => {
    const { page, fixture, visit } = await openConsole(browser);
    await page.clock.install();
    await visit("");
    await page.locator('.connection[data-state="live"]').waitFor();
    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { get: () => ${hidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await hide(true);
    await page.clock.runFor(50_000);
    expect(await page.locator(".connection").getAttribute("data-state")).toBe("live");
    await page.clock.runFor(11_000);
    await eventually(() => page.locator(".connection").getAttribute("data-state"), "paused");
    await eventually(() => fixture.countStreams(), 0);
    await hide(false);
    await page.locator('.connection[data-state="live"]').waitFor();
  });

  test("a new question is told to a screen reader and counted in the tab, and takes no focus", async () => {
    const { page, fixture } = await openConsole(browser);
    await followNav(page, "Calls");
    await page.locator("input[data-search]").focus();
    await eventually(() => page.title(), "(3) Calls · haft");
    fixture.ask("q_9");
    fixture.emit([{ kind: "question", id: "q_9" }]);
    await eventually(() => page.title(), "(4) Calls · haft");
    await eventually(
      () => page.locator("[aria-live=polite]").textContent(),
      "New question: bash asks for your yes",
    );
    expect(await page.evaluate("document.activeElement.matches('[data-search]')")).toBe(true);
  });

  test("every page says what is wrong, with its code, when the server fails, and asks again on demand only", async () => {
    const { page, fixture, visit } = await openConsole(browser, "error");
    for (const path of ["", "questions", "calls", "calls/c_1", "questions/q_1"]) {
      await visit(path);
      await page.getByRole("alert").first().waitFor();
      const text = await page.getByRole("alert").first().textContent();
      expect(text).toContain("haft restore");
      expect(text).toContain("STORE_DAMAGED");
    }
    // A stream of changes that opens has the page ask once more.
    await page.route("**/stream*", (route) => route.abort());
    await visit("calls");
    await page.getByRole("alert").waitFor();
    const before = fixture.requests.length;
    await page.getByRole("button", { name: "Try again" }).click();
    await eventually(() => fixture.requests.length, before + 1);
  });

  test("an address that is no page says so, and one with a broken escape, too", async () => {
    const { page, visit } = await openConsole(browser, "full", { path: "nowhere" });
    await page.getByRole("heading", { name: "No such page" }).waitFor();
    await visit("calls/x;rm%20-rf%20~");
    await eventually(() => page.locator(".in-terminal code").textContent(), "haft audit 'x;rm -rf ~'");
    await visit("calls/%E0%A4%A");
    await page.getByRole("heading", { name: "Calls" }).waitFor();
  });
});
