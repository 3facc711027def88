import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { freeSteadyPort } from "../support/steady-port.ts";
import { eventually, followNav, pressBoth } from "./open-console.ts";
import { connectAgent, followLink, openTab, serve } from "./served-console.ts";
import { clickGuarded } from "./settled-page.ts";

/** Shifts the clock of a process to yesterday. */
const yesterday = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent("const now=Date.now;Date.now=()=>now()-86400000")}`,
};

/** A call of a process of its own. */
async function call(
  place: Place,
  tool: string,
  params: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const args = Object.entries(params).flatMap(([name, value]) => ["-a", `${name}=${value}`]);
  const { stdout } = await place.run(["call", tool, "--json", ...args], "", environment);
  return (JSON.parse(stdout) as { readonly callId: string }).callId;
}

describeInChromium("a person at the console of haft serve", (browser) => {
  test("says yes to exactly what is shown, and sees the call run", async () => {
    const place = new Place();
    const url = await serve(place);
    const { page, faults } = await openTab(browser, place);
    const path = join(dirname(place.folder), "out\u202etxt.side");
    const content = '<img src=x onerror="globalThis.sung=1">\u200b\n';
    const agent = await connectAgent(place, url);
    const answer = agent.callTool({ name: "write", arguments: { path, content } });
    await eventually(() => page.locator(".badge").textContent(), "1 waiting");
    await followNav(page, "Questions");
    await page.getByRole("heading", { name: "write asks for your yes" }).waitFor();
    const exact = (await page.locator(".exact-box").textContent()) ?? "";
    expect(exact).toContain("out⟨U+202E⟩txt.side");
    expect(exact).toContain('<img src=x onerror="globalThis.sung=1">⟨U+200B⟩');
    expect(existsSync(path)).toBe(false);
    await clickGuarded(page.locator('.answer-buttons .yes[data-ready="true"]'));
    await page.locator("main").getByText("Yes, by owner:console").waitFor();
    expect(await answer).not.toMatchObject({ isError: true });
    expect(readFileSync(path, "utf8")).toBe(content);
    await followNav(page, "Calls");
    await page
      .locator(".list-row", { hasText: "write" })
      .locator(".c-state", { hasText: "completed" })
      .waitFor();
    expect(await page.evaluate("globalThis.sung")).toBeUndefined();
    expect(faults).toEqual([]);
  });

  test("finds yesterday's call by a word, and undoes it: the file is as it was", async () => {
    const place = new Place();
    const file = join(place.folder, "prices.txt");
    writeFileSync(file, "old prices\n");
    const callId = await call(
      place,
      "edit",
      { path: "prices.txt", old_string: "old", new_string: "discounted" },
      yesterday,
    );
    await call(place, "write", { path: "other.txt", content: "something else\n" });
    await serve(place);
    const { page, faults } = await openTab(browser, place);
    await pressBoth(page, "g", "c");
    await eventually(() => page.locator(".list-row").count(), 2);
    await page.getByLabel("Text").fill("discounted");
    await eventually(() => page.locator(".list-row").count(), 1);
    const told = await page.locator(".list-row time").getAttribute("datetime");
    expect(Math.round((Date.now() - Date.parse(told ?? "")) / 3_600_000)).toBe(24);
    await page.locator(".list-row").click();
    await page.getByRole("heading", { name: "Call of edit" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/calls/${callId}`);
    await clickGuarded(page.locator('button[data-ready="true"]', { hasText: "Undo its changes of 1 file" }));
    await page.locator(".done").waitFor();
    expect(readFileSync(file, "utf8")).toBe("old prices\n");
    expect(readFileSync(join(place.folder, "other.txt"), "utf8")).toBe("something else\n");
    expect(faults).toEqual([]);
  });

  test("sees a call of another process come by itself", async () => {
    const place = new Place();
    await serve(place);
    const { page, faults } = await openTab(browser, place);
    await followNav(page, "Calls");
    await page.locator(".empty").waitFor();
    await call(place, "write", { path: "a.txt", content: "from elsewhere" });
    await eventually(() => page.locator(".list-row .c-tool").allTextContents(), ["write"]);
    await call(place, "write", { path: "b.txt", content: "from elsewhere, too" });
    await eventually(() => page.locator(".list-row .c-tool").allTextContents(), ["write", "write"]);
    expect(await page.locator(".list-row .c-args").first().textContent()).toContain("b.txt");
    expect(faults).toEqual([]);
  });

  test("is told how to go on once haft was restarted, and once the session was ended from a terminal", async () => {
    const place = new Place();
    const url = await serve(place, String(await freeSteadyPort()));
    const { page, faults } = await openTab(browser, place);
    expect(await place.run(["serve", "stop"])).toMatchObject({ exitCode: 0 });
    await page.locator('.connection[data-state="offline"]').waitFor();
    expect(await serve(place, new URL(url).port)).toBe(url);
    const over = page.getByRole("heading", { name: "This session is over" });
    await over.waitFor();
    expect(await page.locator("main.closed").textContent()).toContain("haft console");
    await followLink(page, place);
    const [session] = JSON.parse((await place.run(["console", "sessions", "--json"])).stdout) as [
      { readonly id: string },
    ];
    expect(await place.run(["console", "sessions", "end", session.id])).toMatchObject({ exitCode: 0 });
    await over.waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Open the console from a terminal" }).waitFor();
    expect(faults).toEqual([]);
  });
});
