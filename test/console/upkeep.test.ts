import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

const ready = '[data-ready="true"]';

describeInChromium("the pages of secrets, hooks and the doctor", (browser) => {
  test("a secret is deleted after a question and the owner's PIN, by keys alone", async () => {
    const { page, fixture, visit, faults } = await openConsole(browser);
    fixture.setPin("2468");
    await visit("secrets");
    await page.locator("main").getByText("haft secret set TAVILY_API_KEY").waitFor();
    await page.getByRole("button", { name: "Delete GITHUB_TOKEN" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("main").getByText("the tools that use it fail until it is stored again").waitFor();
    await eventually(() => page.evaluate("document.activeElement.textContent"), "Keep it");
    await page.keyboard.press("Tab");
    await page.locator(`.danger${ready}`).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("main").getByText("PIN_REQUIRED").waitFor();
    await page.getByLabel("The owner's PIN").fill("2468");
    await clickGuarded(page.locator(`.danger${ready}[aria-disabled="false"]`));
    await eventually(() => page.locator("strong", { hasText: "GITHUB_TOKEN" }).count(), 0);
    expect(faults).toEqual([]);
  });

  test("a hook shows what it runs, its counts and why it failed last, as text", async () => {
    const { page, visit } = await openConsole(browser, "full", { path: "hooks" });
    await page.locator("main").getByText("agent/hooks/old.md:3").waitFor();
    await page.locator("main").getByText("412 runs, 7 refused, 2 failures").waitFor();
    await page.getByRole("link", { name: "Guard of the main branch" }).click();
    await page.locator("main").getByText("jq: not found").waitFor();
    expect(await page.locator("main").textContent()).toContain("⟨U+202E⟩");
    expect(await page.locator(".in-terminal code").textContent()).toBe("haft hooks show guard");
    await visit("hooks/none");
    await page.locator("main").getByText("No such hook").waitFor();
  });

  test("the doctor shows what is not well first, with what to do, and examines again", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "doctor" });
    await page.locator("main").getByText("1 failure and 1 warning of 4 checks.").first().waitFor();
    expect(await page.locator(".check-row strong").allTextContents()).toEqual([
      "server github",
      "sandbox",
      "node",
      "store",
    ]);
    await page.locator(".check-remedy", { hasText: "haft mcp login github" }).waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await eventually(() => fixture.requests.filter((one) => one === "POST /doctor").length, 2);
  });
});
