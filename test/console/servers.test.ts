import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

describeInChromium("the page of servers", (browser) => {
  test("each server is there with how it is, and one that is in trouble with why, what it said and what to do", async () => {
    const { page, visit, faults } = await openConsole(browser, "full", { path: "servers" });
    for (const word of ["connected", "not connected", "needs a login", "project not trusted"])
      await page.locator(".server-card .state", { hasText: word }).first().waitFor();
    await page.locator("h1").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator(".trouble-box", { hasText: "MCP_PROCESS" }).waitFor();
    const said = await page.getByLabel("The end of its standard error").textContent();
    expect(said).toContain("no database at localhost <img src=x");
    await page.getByRole("button", { name: "Test it" }).click();
    await page.locator("main").getByText("It did not answer: no answer").waitFor();
    await visit("servers/github");
    await page.getByRole("button", { name: "Test it" }).click();
    await page.locator("main").getByText("It answered in 14 ms.").waitFor();
    expect(faults).toEqual([]);
  });

  test("a changed definition is shown line by line, and accepted as it was shown", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "servers/github" });
    await page.locator('.diff-line[data-kind="removed"]', { hasText: "Make an issue." }).waitFor();
    await page.locator('.diff-line[data-kind="added"]', { hasText: "and mail it." }).waitFor();
    await clickGuarded(page.locator('.waiting button[data-ready="true"]'));
    await page.locator(".waiting").waitFor({ state: "detached" });
    expect(fixture.requests).toContain("POST /server/accept");
  });

  test("a definition is refused only after a question that says what that means", async () => {
    const { page, fixture, visit, faults } = await openConsole(browser);
    await visit("servers/github");
    await page.getByRole("button", { name: /^Refuse/ }).click();
    await page.locator("main").getByText("No agent gets it, whatever the server says").waitFor();
    await eventually(() => page.locator(":focus").textContent(), "Not now");
    await page.keyboard.press("Enter");
    expect(fixture.requests).not.toContain("POST /server/refuse");
    await page.getByRole("button", { name: /^Refuse/ }).click();
    await clickGuarded(page.locator('button.danger[data-ready="true"]', { hasText: "Refuse it" }));
    await page.locator(".waiting").waitFor({ state: "detached" });
    expect(fixture.requests).toContain("POST /server/refuse");
    expect(faults).toEqual([]);
  });

  test("the address of a login is shown in full and opened by a click alone, without a way back", async () => {
    const { page, context, faults } = await openConsole(browser, "full", { path: "servers/tracker" });
    await clickGuarded(page.locator('button[data-ready="true"]', { hasText: /^Log in$/ }));
    const link = page.getByRole("link", { name: "Open it" });
    await link.waitFor();
    expect(await page.locator(".login-url").textContent()).toMatch(
      /^https:\/\/login\.example\/authorize\?state=1/,
    );
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(context.pages()).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test("what pasted servers would do is shown exactly, and only those that were chosen are added", async () => {
    const { page, fixture, faults } = await openConsole(browser, "full", { path: "servers?add=1" });
    await page.getByLabel("JSON of servers").fill("{}");
    await page.getByRole("button", { name: "Show what it would add" }).click();
    const command = page.getByLabel("The command of files");
    expect(await command.textContent()).toContain(
      "npx -y 'some server' '<img src=x onerror=alert(1)> ⟨U+202E⟩",
    );
    expect(
      await page.locator(".offered-server", { hasText: "github" }).getByRole("checkbox").isDisabled(),
    ).toBe(true);
    expect(fixture.requests).not.toContain("POST /servers/add");
    // Another text is no longer what was shown.
    await page.getByLabel("JSON of servers").fill("{ }");
    await page.locator("main").getByText("have it shown again").waitFor();
    await page.getByRole("button", { name: "Show what it would add" }).click();
    await clickGuarded(page.locator('.primary[data-ready="true"]', { hasText: "Add 1 server" }));
    await eventually(() => new URL(page.url()).pathname, "/console/servers/files");
    await page.locator(".state", { hasText: "connected" }).first().waitFor();
    expect(faults).toEqual([]);
  });

  test("without a server there is what to do, and a fault has its code", async () => {
    const empty = await openConsole(browser, "empty");
    await empty.visit("servers");
    await empty.page.getByRole("link", { name: "Paste its JSON" }).click();
    await empty.page.getByLabel("JSON of servers").waitFor();
    const broken = await openConsole(browser, "error");
    await broken.visit("servers/github");
    await broken.page.locator(".fault", { hasText: "STORE_DAMAGED" }).waitFor();
  });
});
