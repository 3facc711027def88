import { expect, test } from "vitest";
import { appendRules, findFaultLine } from "../../console/src/pages/policy/draft.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { eventually, openConsole } from "./open-console.ts";
import { clickGuarded } from "./settled-page.ts";

const ready = '[data-ready="true"]';
const save = "button.primary";

test("a fault of the rules is found in the line that it names, or in that of its rule", () => {
  const text = "# one\n- { tool: a }\n\n- tool: b\n  decision: x\n";
  expect(findFaultLine(text, 'Cannot read "the rules": Flow map at line 2, column 3')).toBe(2);
  expect(findFaultLine(text, "permissions.1.decision: must be one of")).toBe(4);
  expect(findFaultLine(text, "permissions.7: must be")).toBeUndefined();
  expect(findFaultLine(text, "the rules are no list")).toBeUndefined();
  expect(appendRules("", "- a")).toBe("- a\n");
  expect(appendRules("# mine\n\n", "- a\n")).toBe("# mine\n- a\n");
});

describeInChromium("the page of the policy", (browser) => {
  test("a rule is saved once it was seen which calls it would have changed", async () => {
    const { page, fixture, faults } = await openConsole(browser, "full", { path: "policy/edit" });
    const field = page.getByLabel("Rules, in YAML");
    await field.fill(`${await field.inputValue()}- { tool: read, decision: ask }\n`);
    await page.locator(`${save}[aria-disabled="true"]${ready}`).click({ force: true });
    await page.getByRole("button", { name: "What would change" }).click();
    const difference = page.locator(".differences li");
    await difference.waitFor();
    expect(await difference.textContent()).toContain("41 calls");
    expect(await difference.locator(".decision-word").allTextContents()).toEqual(["allow", "ask", "ask"]);
    expect(fixture.requests.filter((one) => one.includes("save"))).toEqual([]);
    await clickGuarded(page.locator(`${save}[aria-disabled="false"]${ready}`));
    await page.locator("main").getByText("in force once haft serve is started again").waitFor();
    expect(fixture.requests.filter((one) => one.includes("save"))).toEqual(["POST /policy/save"]);
    // Other text has to be tried anew.
    await field.fill("- { tool: read, decision: deny }\n");
    await page.locator(`${save}[aria-disabled="true"]`).waitFor();
    expect(await page.locator(".differences").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("a call leads to the editor with a rule that would allow it", async () => {
    const { page } = await openConsole(browser, "full", { path: "calls/c_3997" });
    await page.locator("main").getByText("Allow this by a rule").click();
    await page.getByRole("link", { name: "See what it would change, and save it" }).click();
    const field = page.getByLabel("Rules, in YAML");
    await field.waitFor();
    expect(await field.inputValue()).toMatch(
      /^# notes are safe\n.*\n- \{"decision":"allow","tool":"\w+".*\}\n$/,
    );
    await page.locator(`${save}[aria-disabled="true"]`).waitFor();
  });

  test("a question leads there, too, and what explains a call gives its rules to the editor", async () => {
    const { page, visit } = await openConsole(browser, "full", { path: "questions/q_1" });
    await page.getByRole("link", { name: "allow it by a rule" }).click();
    const field = page.getByLabel("Rules, in YAML");
    await field.waitFor();
    expect(await field.inputValue()).toContain('{"decision":"allow","tool":"bash"');
    await visit("policy/explain");
    await page.getByLabel("Tool").fill("bash");
    await page.getByLabel("Arguments, as JSON").fill("{");
    expect(await page.getByRole("button", { name: "Explain" }).isDisabled()).toBe(true);
    await page.getByLabel("Arguments, as JSON").fill('{"command":"npm test"}');
    await page.getByRole("button", { name: "Explain" }).click();
    await page.locator("main").getByText("A person would be asked").waitFor();
    expect(new URL(page.url()).searchParams.get("params")).toBe('{"command":"npm test"}');
    await page.getByRole("button", { name: "Put them into the editor" }).click();
    await field.waitFor();
    expect(await field.inputValue()).toContain(
      '- { decision: allow, tool: bash, effect: run, target: "npm test" }',
    );
  });

  test("rules say what they decided lately; all of them are a choice away", async () => {
    const { page } = await openConsole(browser, "full", { path: "policy" });
    await page.locator(".rules li").first().waitFor();
    expect(await page.locator(".rule-decided").allInnerTexts()).toEqual([
      expect.stringContaining("431 calls"),
      "–",
      expect.stringContaining("12 calls"),
    ]);
    await page.getByLabel("Show").selectOption("default");
    await eventually(() => page.locator(".rules li").count(), 1);
    expect(new URL(page.url()).search).toBe("?source=default");
    await page.getByRole("button", { name: "Run 2 tests" }).click();
    await page.locator("main").getByText("Not all tests pass.").waitFor();
  });

  test("a remembered answer is revoked", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "policy/grants" });
    await clickGuarded(page.locator(`.grant-act button${ready}`));
    await page.locator("main").getByText("No answer is remembered").waitFor();
    expect(fixture.requests).toContain("POST /grants/g_1/revoke");
    await page.getByRole("link", { name: "Ended ones, too" }).click();
    await page.locator(".grants .mark", { hasText: "revoked" }).waitFor();
  });
});
