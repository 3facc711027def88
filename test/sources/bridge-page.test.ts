import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { openTestBridge, type TestBridge } from "../support/bridge.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { listenOnLoopback } from "../support/loopback.ts";

describeInChromium("the page of the bridge", (browser) => {
  async function openContext(): Promise<BrowserContext> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context;
  }

  /** A page that is paired and connected, and what it complained of. */
  async function openPage(
    world: TestBridge,
    context: BrowserContext,
    code = world.passes.issueCode(),
  ): Promise<{ readonly page: Page; readonly faults: string[] }> {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    await page.goto(`${world.listener.url}/bridge#${code}`);
    await page.locator('#state[data-state="connected"]').waitFor();
    return { page, faults };
  }

  test("it pairs by the code in its address, which it forgets, and connects again after a reload", async () => {
    const world = await openTestBridge();
    const { page, faults } = await openPage(world, await openContext());
    expect(page.url()).toBe(`${world.listener.url}/bridge`);
    expect(await page.locator("#tools code").allTextContents()).toEqual([
      "show_file_picker",
      "notify",
      "confirm",
    ]);
    expect(world.registry.get("show_file_picker")).toMatchObject({
      origin: "bridge:browser",
      annotations: { readOnly: true, openWorld: false },
    });
    await page.reload();
    await page.locator('#state[data-state="connected"]').waitFor();
    expect(faults).toEqual([]);
    await page.close();
    await vi.waitFor(() => expect(world.registry.has("confirm")).toBe(false), 30_000);
  });

  test("its file picker opens by a click of the person, and gives the text of what they chose", async () => {
    const world = await openTestBridge();
    const { page, faults } = await openPage(world, await openContext());
    const call = world.executor.execute("show_file_picker", { title: "The <b>report</b>", multiple: true });
    const card = page.locator("#asked .card");
    await card.waitFor();
    expect(await card.locator(".foreign").allTextContents()).toEqual(["The <b>report</b>"]);
    expect(await page.title()).toBe("(1) haft bridge");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      card.getByRole("button", { name: "Choose files" }).click(),
    ]);
    expect(chooser.isMultiple()).toBe(true);
    await chooser.setFiles([
      { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("first\n") },
      { name: "b.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0xff, 0, 1]) },
      { name: "c.txt", mimeType: "text/plain", buffer: Buffer.alloc(400_001, "x") },
    ]);
    expect(await call).toMatchObject({
      success: true,
      trust: "untrusted",
      text: JSON.stringify({
        files: [
          { name: "a.txt", size: 6, type: "text/plain", text: "first\n" },
          { name: "b.bin", size: 3, type: "application/octet-stream", note: "no text" },
          { name: "c.txt", size: 400_001, type: "text/plain", note: "too large to be read here" },
        ],
      }),
    });
    await vi.waitFor(
      async () =>
        expect(await page.locator("#calls li").allTextContents()).toEqual([
          expect.stringMatching(/^show_file_picker.*· done$/),
        ]),
      30_000,
    );
    expect([await card.count(), await page.title(), faults]).toEqual([0, "haft bridge", []]);
  });

  test("who declines gives nothing, and a call that is stopped asks for nothing any more", async () => {
    const world = await openTestBridge();
    const { page } = await openPage(world, await openContext());
    const card = page.locator("#asked .card");
    const declined = world.executor.execute("show_file_picker", {});
    await card.getByRole("button", { name: "Decline" }).click();
    expect(await declined).toMatchObject({
      code: "BRIDGE_FAILED",
      error: expect.stringContaining("declined"),
    });
    const caller = new AbortController();
    const stopped = world.executor.execute("confirm", { message: "Sure?" }, { signal: caller.signal });
    await card.waitFor();
    caller.abort();
    await card.waitFor({ state: "detached" });
    expect(await stopped).toMatchObject({ code: "TOOL_CANCELLED" });
  });

  test("its dialog tells yes from no", async () => {
    const world = await openTestBridge();
    const { page } = await openPage(world, await openContext());
    const answers: unknown[] = [];
    for (const name of ["Yes", "No"]) {
      const call = world.executor.execute("confirm", { title: "Tidy up", message: "Shall I?" });
      await page.locator("#asked").getByRole("button", { name, exact: true }).click();
      answers.push((await call).text);
    }
    expect(answers).toEqual(['{"confirmed":true}', '{"confirmed":false}']);
  });

  test("it notifies by the system where it may, and on itself where it may not", async () => {
    const world = await openTestBridge();
    const context = await openContext();
    const { page } = await openPage(world, context);
    const say = () => world.executor.execute("notify", { title: "Done", body: "All tests are green" });
    await page.evaluate(
      `Object.defineProperty(Notification, "permission", { get: () => "denied", configurable: true })`,
    );
    expect((await say()).text).toContain("on the page");
    const card = page.locator("#asked .card");
    expect(await card.locator(".foreign").allTextContents()).toEqual(["Done", "All tests are green"]);
    await card.getByRole("button", { name: "Close" }).click();
    for (let count = 0; count < 7; count++) await say();
    expect(await card.count()).toBe(5);
    await context.grantPermissions(["notifications"], { origin: world.listener.url });
    await page.reload();
    await page.locator('#state[data-state="connected"]').waitFor();
    expect(await page.evaluate("Notification.permission")).toBe("granted");
    expect((await say()).text).toContain("by the system");
    expect(await card.count()).toBe(0);
  });

  test("in a Tauri window it calls the program's own commands, by the names the program gives", async () => {
    const world = await openTestBridge();
    const context = await openContext();
    await context.addInitScript(`globalThis.__TAURI__ = { core: { invoke: async (command, params) => {
      if (command === "haft_bridge_tools") return [
        { name: "show_file_picker", description: "Choose files.", parameters: { type: "object" } },
        { name: "set_badge", description: "Set the badge.", parameters: { type: "object" } },
      ];
      if (command === "set_badge") throw "no dock here";
      return [command, params, "/home/ada/a.txt"];
    } } };`);
    const { page } = await openPage(world, context);
    expect(await page.locator("#tools code").allTextContents()).toEqual(["show_file_picker", "set_badge"]);
    expect(world.registry.get("set_badge")?.origin).toBe("bridge:desktop");
    expect(
      await world.executor.execute("show_file_picker", { title: "Select files", multiple: true }),
    ).toMatchObject({
      text: '["show_file_picker",{"title":"Select files","multiple":true},"/home/ada/a.txt"]',
    });
    expect(await world.executor.execute("set_badge", {})).toMatchObject({
      code: "BRIDGE_FAILED",
      error: expect.stringContaining("no dock here"),
    });
  });

  test("an address that was used already says so, and what to do", async () => {
    const world = await openTestBridge();
    const code = world.passes.issueCode();
    await openPage(world, await openContext(), code);
    const page = await (await openContext()).newPage();
    await page.goto(`${world.listener.url}/bridge#${code}`);
    await page.locator('#state[data-state="refused"]').waitFor();
    expect(await page.locator("#state").textContent()).toContain("haft bridge");
    await page.goto("about:blank");
    await page.goto(`${world.listener.url}/bridge`);
    await page.locator("#state", { hasText: "Not paired" }).waitFor();
  });

  test("a page of another site gets no connection, though it has a token", async () => {
    const world = await openTestBridge();
    const site = await listenOnLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>other</title>");
    });
    const page = await (await openContext()).newPage();
    await page.goto(site.url);
    const token = world.passes.issueToken(60_000);
    const ended = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket("ws://127.0.0.1:${world.listener.port}/bridge/socket", ["haft.bridge.v1", "haft.token.${token}"]);
      socket.onopen = () => resolve("open");
      socket.onclose = () => resolve("refused");
    })`);
    const code = world.passes.issueCode();
    const paired = await page.evaluate(`fetch("${world.listener.url}/bridge/token", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code: "${code}" }),
    }).then(() => "answered", () => "refused")`);
    expect([ended, paired, world.bridge.hosts()]).toEqual(["refused", "refused", []]);
    // The code was not used up by that.
    await openPage(world, await openContext(), code);
  });
});
