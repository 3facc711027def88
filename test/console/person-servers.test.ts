import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { LoginWorld } from "../support/login-world.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { answerMcp } from "../support/plain-mcp.ts";
import { eventually, followNav } from "./open-console.ts";
import { openTab, serve } from "./served-console.ts";
import { clickGuarded } from "./settled-page.ts";

const ready = '[data-ready="true"]';

describeInChromium("a person at the console of haft serve, with servers and memories", (browser) => {
  test("pastes a server and sees it connect, and logs in to another", async () => {
    const place = new Place();
    const plain = await listenOnLoopback(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      answerMcp(body, response);
    });
    const world = await LoginWorld.open();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(
      join(place.home, "config.yml"),
      `mcpServers:\n  world:\n    url: ${world.url}\n    auth: { hosts: ["${world.as.host}"] }\n`,
    );
    await serve(place);
    const { page, faults } = await openTab(browser, place);

    await followNav(page, "Servers");
    await page.getByRole("link", { name: "Add servers" }).click();
    const pasted = { mcpServers: { plain: { url: `${plain.url}/mcp` } } };
    await page.getByLabel("JSON of servers").fill(JSON.stringify(pasted));
    await page.getByRole("button", { name: "Show what it would add" }).click();
    await clickGuarded(page.locator(`.primary${ready}`, { hasText: "Add 1 server" }));
    await page.getByRole("heading", { name: "plain", exact: true }).waitFor();
    await page.locator(".state", { hasText: "connected" }).first().waitFor();
    await page.locator(".server-tools", { hasText: "Says who asks." }).waitFor();

    await page.getByRole("link", { name: "All servers" }).click();
    await page.getByRole("link", { name: "world" }).click();
    await page.locator("main").getByText("It lets nobody in without a login.").waitFor();
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Log in$/ }));
    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Open it" }).click();
    await (await opened).getByText("Go back to haft: you can close this page.").waitFor();
    await page.locator("main").getByText("The login is done.").waitFor();
    await page.locator(".server-tools", { hasText: "Says who asks." }).waitFor();
    const seen = await page.locator("body").textContent();
    for (const secret of world.secrets) expect(seen).not.toContain(secret);
    expect(faults).toEqual([]);
  });

  test("edits a memory and takes it back", async () => {
    const place = new Place();
    const said = await place.run(["memory", "add", "Ada lives in Graz.", "--json"]);
    expect(said).toMatchObject({ exitCode: 0 });
    const { id } = JSON.parse(said.stdout) as { readonly id: string };
    const read = async () => {
      const { stdout } = await place.run(["memory", "show", id, "--json"]);
      return (JSON.parse(stdout) as { readonly text: string }).text;
    };
    await serve(place);
    const { page, faults } = await openTab(browser, place);
    await followNav(page, "Memory");
    await page.locator(".memory-rows a").first().click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("The text of the entry").fill("Ada lives in Linz now.");
    await page.keyboard.press("Control+Enter");
    const text = page.getByRole("region", { name: "The text", exact: true });
    await eventually(() => text.textContent(), "Ada lives in Linz now.");
    expect(await read()).toBe("Ada lives in Linz now.");
    await clickGuarded(page.locator(`button${ready}`, { hasText: /^Undo$/ }));
    await eventually(() => text.textContent(), "Ada lives in Graz.");
    expect(await read()).toBe("Ada lives in Graz.");
    expect(faults).toEqual([]);
  });
});
