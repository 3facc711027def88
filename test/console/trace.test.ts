import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";

/** How many different colours the chart has: one that is not drawn has one. */
function countColours(page: Page): Promise<number> {
  return page.evaluate<number>(
    `(() => { const canvas = document.querySelector(".trace-scroll canvas"); const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height); return new Set(new Uint32Array(data.buffer)).size; })()`,
  );
}

const readSearch = (page: Page) => new URL(page.url()).searchParams;

describeInChromium("the page Trace", (browser) => {
  test("says where the time of a run went, and what nobody knows the price of is never nothing", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "trace/r_1" });
    await page.getByRole("heading", { name: "Trace of writer" }).waitFor();
    const figures = await page.locator(".trace-figures").textContent();
    expect(figures).toContain("Took1 min 32 s");
    expect(figures).toContain("Waited for people41 s");
    expect(figures).toContain("Waited for a turn3 s");
    expect(figures).toContain("Cost$0.04 + 1 unpriced");
    await expect.poll(() => countColours(page)).toBeGreaterThan(8);
    expect(await page.locator(".in-terminal code").textContent()).toBe("haft trace r_1");
    await page.locator("main").getByText("As a table: 9 spans").click();
    const rows = page.locator(".trace-table tbody tr");
    await eventually(() => rows.count(), 9);
    expect(await rows.nth(8).textContent()).toContain("unpriced");
    expect(await rows.nth(4).locator("td").last().textContent()).toBe("no");
    expect(faults).toEqual([]);
  });

  test("a span is chosen and its call opened with the keyboard alone", async () => {
    const { page } = await openConsole(browser, "full", { path: "trace/r_1" });
    const chart = page.getByRole("application");
    await chart.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await eventually(() => readSearch(page).get("span"), "m_1");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "run_script" }).waitFor();
    const details = await page.getByRole("region", { name: "The chosen span" }).textContent();
    expect(details).toContain("on the critical path");
    expect(details).toContain("⟨U+202E⟩");
    await page.keyboard.press("+");
    await eventually(() => readSearch(page).get("seen"), "19900-65900");
    await page.keyboard.press("0");
    await eventually(() => readSearch(page).has("seen"), false);
    await page.keyboard.press("Enter");
    await eventually(() => new URL(page.url()).pathname, "/console/calls/c_3997");
    await page.getByRole("link", { name: "See where its time went" }).click();
    await eventually(() => new URL(page.url()).pathname, "/console/trace/c_3997");
  });

  test("the wheel zooms at the pointer, dragging moves, and the address has what is seen", async () => {
    const { page } = await openConsole(browser, "full", { path: "trace/r_1?view=flame" });
    const box = await page.getByRole("application").boundingBox();
    if (box === null) throw new Error("the chart is not there");
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -300);
    await eventually(() => readSearch(page).has("seen"), true);
    const read = () => (readSearch(page).get("seen") ?? "").split("-").map(Number);
    const [from = 0, to = 0] = read();
    expect(to - from).toBeLessThan(92_000 / 2);
    expect(Math.abs((from + to) / 2 - 46_000)).toBeLessThan(500);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 200, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await eventually(() => (read()[0] ?? 0) > from, true);
    expect(readSearch(page).has("span")).toBe(false);
    await page.mouse.click(box.x + 30, box.y + 24 + 11);
    await eventually(() => readSearch(page).get("span"), "r_1");
  });

  test("two traces are shown side by side with what differs", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "trace/r_1" });
    await page.getByLabel("Compare with").fill("c_1");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator("main").getByText("The second took 1 min 32 s less").waitFor();
    expect(readSearch(page).get("with")).toBe("c_1");
    expect(fixture.requests).toContain("GET /trace/c_1");
    expect(await page.getByRole("application").count()).toBe(2);
    expect(await page.locator(".in-terminal code").textContent()).toBe("haft trace r_1; haft trace c_1");
    await page.getByRole("button", { name: "Show the first alone" }).click();
    await eventually(() => readSearch(page).has("with"), false);
  });

  test("the critical path is shown alone", async () => {
    const { page } = await openConsole(browser, "full", { path: "trace/r_1" });
    await page.locator("main").getByText("As a table: 9 spans").waitFor();
    await page.getByLabel("Critical path alone").check();
    await page.locator("main").getByText("As a table: 8 spans").waitFor();
    expect(readSearch(page).get("critical")).toBe("1");
  });

  test("100,000 spans are few elements, in the chart and in the table", async () => {
    const { page, visit, faults } = await openConsole(browser);
    for (const view of ["", "?view=flame"]) {
      await visit(`trace/r_long${view}`);
      await page.locator("main").getByText("As a table: 100,000 spans").waitFor();
      await expect.poll(() => countColours(page)).toBeGreaterThan(4);
      expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(400);
    }
    await page.locator("main").getByText("As a table: 100,000 spans").click();
    await eventually(() => page.locator(".trace-table tbody tr").count(), 200);
    expect(faults).toEqual([]);
  });

  test("a trace that is not there says so, and what lists them", async () => {
    const { page, visit } = await openConsole(browser, "full", { path: "trace/c_none" });
    await page.getByRole("alert").waitFor();
    await visit("trace");
    await page.locator(".trace-links a").first().click();
    await page.getByRole("heading", { name: "Trace of writer" }).waitFor();
  });

  test("with nothing done yet the page says what to do", async () => {
    const { page } = await openConsole(browser, "empty", { path: "trace" });
    await page.locator("main").getByText("Nothing was done yet").waitFor();
  });
});
