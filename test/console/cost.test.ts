import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";

describeInChromium("the page Cost and speed", (browser) => {
  test("says what was spent and what is left, and what has no price is never nothing", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "cost" });
    await page.locator(".bar-plot").first().waitFor();
    expect(await page.locator(".cost-figures").textContent()).toContain("Spent$19.30 + 90 unpriced");
    const budgets = await page.locator(".budgets li").allTextContents();
    expect(budgets[0]).toContain("$1.28 of $5.00; $3.72 left");
    expect(budgets[0]).toContain("Requests of unknown price are not in it: local/llama");
    expect(budgets[1]).toContain("$1.02 of $1.00; used up");
    expect(budgets[1]).toContain("410,000 tokens of 500,000 tokens; 90,000 tokens left");
    expect(await page.locator(".bar-plot").count()).toBe(4);
    expect(await page.locator(".bar-plot").first().locator(".bar-unknown").count()).toBe(3);
    await page.locator("main").getByText("As a table: 30 days").click();
    expect(await page.locator(".cost-table tbody tr").count()).toBe(30);
    expect(faults).toEqual([]);
  });

  test("the span and the way it is added up are in the address, in the request and in the command", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "cost" });
    await page.getByLabel("Span").selectOption("7");
    await eventually(() => new URL(page.url()).search, "?days=7");
    await page.getByRole("link", { name: "By model" }).click();
    await page.getByRole("region", { name: "Usage by model" }).waitFor();
    expect(new URL(page.url()).search).toBe("?days=7&by=model");
    await expect.poll(() => fixture.requests).toContain("GET /cost?days=7");
    expect(await page.locator(".in-terminal code").textContent()).toBe("haft usage --days 7 --by model");
    const rows = await page.locator("tbody tr").allTextContents();
    expect(rows[0]).toContain("anthropic/claude$18.20");
    expect(rows[2]).toContain("local/llamaunpriced");
  });

  test("each tool has its failures and percentiles, and leads to its calls", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "cost?by=tool" });
    const row = page.locator("tbody tr").nth(1);
    await row.waitFor();
    expect(await row.locator("td").allTextContents()).toEqual([
      "2,210",
      "",
      "190 (9 %)",
      "95",
      "840 ms",
      "5 s",
      "12 s",
    ]);
    expect(await page.locator("tbody tr").nth(3).textContent()).toContain("⟨U+202E⟩cod.exe");
    await row.getByRole("link", { name: "bash" }).click();
    await eventually(() => new URL(page.url()).search, "?tools=bash");
    expect(faults).toEqual([]);
  });

  test("two spans are compared, and each day of them can be chosen", async () => {
    const { page, fixture } = await openConsole(browser, "full", {
      path: "cost?view=compare&from=2026-01-01&to=2026-01-07",
    });
    await page.getByRole("region", { name: "Sums of both spans" }).waitFor();
    const midnight = (text: string) => new Date(`${text}T00:00:00`).getTime();
    await expect
      .poll(() => fixture.requests)
      .toContain(`GET /cost/span?since=${midnight("2026-01-01")}&until=${midnight("2026-01-08")}`);
    const spent = await page.locator("tbody tr").first().locator("td").allTextContents();
    expect(spent).toEqual(["$19.30 + 90 unpriced", "$38.60 + 180 unpriced"]);
    await page.getByLabel("First span, last day").fill("2026-01-09");
    await eventually(() => new URL(page.url()).searchParams.get("to"), "2026-01-09");
  });

  test("with nothing spent yet the page says what to do, and how a budget is set", async () => {
    const { page } = await openConsole(browser, "empty", { path: "cost" });
    await page.locator("main").getByText("No model was asked in this time").waitFor();
    await page.locator("main").getByText("agent.budget.day").waitFor();
  });
});
