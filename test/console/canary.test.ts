import { expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { openConsole } from "./open-console.ts";

/** Markup, an address that runs, and a character that turns text around, in one. */
const canary = `"><img src=x onerror="globalThis.sung=1"><script>globalThis.sung=1</script><a href="javascript:globalThis.sung=1">\u202e`;
const shown = canary.replace("\u202e", "⟨U+202E⟩");

describeInChromium("a canary in every text of the API", (browser) => {
  test.each([
    ["", ".figures"],
    ["questions?state=all", ".question-list"],
    ["questions/q_1", ".exact-box"],
    ["questions/q_2", ".diff"],
    ["calls", ".list-row"],
    ["calls/c_3997", ".inner-calls"],
    ["calls/c_3997/output", ".output-parts"],
    ["memory", ".memory-rows"],
    ["memory?q=nuts", ".why"],
    ["memory/entry/m_1", ".versions"],
    ["memory/prompt", ".prompt-entries"],
    ["memory/graph?name=ada", ".memory-rows"],
    ["memory/graph/n_0?name=ada", ".relations"],
    ["tasks", ".task-card"],
    ["tasks/keen-elk", ".task-history"],
    ["tasks/graph", ".task-lines"],
    ["secrets", ".secret-row"],
    ["hooks", ".hook-row"],
    [`hooks/${encodeURIComponent(`${canary}guard`)}`, ".facts"],
    ["doctor", ".check-row"],
    ["tools", ".tools-table"],
    ["tools/write", ".obstacles"],
    ["servers", ".server-list"],
    ["servers/github", ".waiting"],
    ["servers/database", ".trouble-box"],
    ["policy", ".rules"],
    ["policy/explain?tool=bash", ".outcome"],
    ["policy/edit", ".editor"],
    ["policy/grants", ".grants"],
    ["chat", ".sessions"],
    ["chat/s_1", ".chat-call"],
  ])("/console/%s shows it as text, and the policy has nothing to report", async (path, ready) => {
    const { page, faults } = await openConsole(browser, "full", { canary, path });
    await page.locator(ready).first().waitFor();
    await expect.poll(() => page.locator("main").textContent()).toContain(shown);
    const raw = await page.evaluate<string>(
      `document.documentElement.textContent + [...document.querySelectorAll("*")].flatMap((one) => ["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? "")).join(" ")`,
    );
    expect(raw).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(await page.locator("main img, main script, [onerror], a[href^=javascript]").count()).toBe(0);
    expect(await page.evaluate("globalThis.sung")).toBeUndefined();
    expect(faults).toEqual([]);
  });
});
