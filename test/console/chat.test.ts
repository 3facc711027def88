import { expect, test } from "vitest";
import { mostFileBytes, mostFiles } from "../../console/src/pages/chat/attachment-bounds.ts";
import { addNewer, addOlder, mostEntries, openWindow } from "../../console/src/pages/chat/entry-window.ts";
import { addEvent, noAnswer } from "../../console/src/pages/chat/live-answer.ts";
import type { AgentEvent, Entry } from "../../console/src/pages/chat/types.ts";
import { mostSentBytes, mostSentFiles } from "../../src/server/console/pages/sent-files.ts";
import { Place } from "../e2e/cli-process.ts";
import { describeInChromium } from "../support/in-chromium.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";
import { dot, longSession } from "./fixture-chat.ts";
import { eventually, followNav, openConsole } from "./open-console.ts";
import { openTab, serve } from "./served-console.ts";

const entries = (from: number, to: number): Entry[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    kind: "interrupt",
    sender: "user",
    seq: from + at,
    epoch: 1,
    runId: "run_1",
    tokens: 0,
    trust: "trusted",
    private: false,
    at: 0,
  }));
const place = ({ rows, older, newer }: ReturnType<typeof openWindow>) => [
  rows[0]?.seq,
  rows.at(-1)?.seq,
  older,
  newer,
];

test("so many entries are shown at most, and those at the other end give way", () => {
  let window = openWindow({ rows: entries(901, 1000), more: true });
  for (const from of [801, 701, 601])
    window = addOlder(window, { rows: entries(from, from + 99), more: true });
  expect(place(window)).toEqual([601, 900, true, true]);
  window = addNewer(window, { rows: entries(901, 1000), head: 1005 });
  expect(place(window)).toEqual([701, 1000, true, true]);
  window = addNewer(window, { rows: entries(1000, 1005), head: 1005 });
  expect(place(window)).toEqual([706, 1005, true, false]);
  expect(window.rows).toHaveLength(mostEntries);
});

test("pieces of an answer are put together, taken back, and summed up", () => {
  const usage = {
    inputTokens: 100,
    outputTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const events: readonly AgentEvent[] = [
    { type: "step.began", step: 1 },
    { type: "answer.text", delta: "Wrong" },
    { type: "answer.withdrawn", why: "it broke off" },
    { type: "answer.reasoning", delta: "Hm" },
    { type: "answer.text", delta: "Buy " },
    { type: "answer.text", delta: "milk" },
  ];
  const said = events.reduce(addEvent, noAnswer);
  expect(said).toMatchObject({ text: "Buy milk", thoughts: "Hm", step: 1, note: undefined });
  const ended = addEvent(said, { type: "answer.ended", step: 1, text: "Buy milk", usage, cost: 5 });
  expect(ended).toMatchObject({
    text: "",
    inputTokens: 100,
    outputTokens: 10,
    costMicros: 5,
    unpriced: false,
  });
  expect(addEvent(ended, { type: "answer.ended", step: 2, text: "", usage })).toMatchObject({
    inputTokens: 200,
    unpriced: true,
  });
});

describeInChromium("the page of sessions", (browser) => {
  test("a session of 5,000 entries shows 300 of them at most, older ones as they are asked for", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: `chat/${longSession}` });
    const shown = page.locator(".chat-log > .said, .chat-log > .aside, .chat-log > .chat-call");
    await page.locator("main").getByText("Message 4996").waitFor();
    const older = page.getByRole("button", { name: "Show older entries" });
    for (const text of ["Message 4807", "Message 4708", "Message 4609"]) {
      await older.click();
      await page.locator("main").getByText(text).waitFor({ state: "attached" });
    }
    expect(await shown.count()).toBeLessThanOrEqual(mostEntries);
    expect(await page.locator("main").getByText("Message 4996").count()).toBe(0);
    await page.getByRole("button", { name: "Go to the newest" }).click();
    await page.locator("main").getByText("Message 4996").waitFor();
    expect(faults).toEqual([]);
  });

  test("a run that paused goes on; the session is forked where one wants", async () => {
    const { page, fixture } = await openConsole(browser, "full", { path: "chat/s_1" });
    await page.getByRole("button", { name: "Go on" }).click();
    await eventually(() => fixture.requests.includes("POST /chat/runs/run_1/resume"), true);
    await page.getByRole("button", { name: "Fork the session after entry 1" }).click();
    await eventually(() => new URL(page.url()).pathname, "/console/chat/s_2");
    expect(fixture.requests).toContain("POST /chat/sessions/s_1/fork");
  });

  test("files are chosen, pasted and dropped, taken off, and sent with a message", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "chat/s_1" });
    const list = page.getByRole("list", { name: "Attached files" });
    await page
      .getByLabel("Files to attach")
      .setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Buy milk.") }]);
    await list.getByText("notes.txt").waitFor();
    await page.getByLabel("Message", { exact: true }).focus();
    await page.evaluate(`(() => {
      const take = (name) => {
        const files = new DataTransfer();
        files.items.add(new File(["bytes of " + name], name));
        return files;
      };
      const pasted = new ClipboardEvent("paste", { clipboardData: take("pasted.png"), bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(pasted);
      const words = take("words.png");
      words.setData("text/plain", "words");
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: words, bubbles: true, cancelable: true }));
      const dropped = new DragEvent("drop", { dataTransfer: take("dropped.txt"), bubbles: true, cancelable: true });
      document.querySelector("h1").dispatchEvent(dropped);
      return [pasted.defaultPrevented, dropped.defaultPrevented];
    })()`);
    await eventually(() => list.locator("bdi").allTextContents(), ["notes.txt", "pasted.png", "dropped.txt"]);
    await page.getByRole("button", { name: "Take off dropped.txt" }).click();
    const sent = page.waitForRequest((request) => request.url().endsWith("/chat/send"));
    await page.getByRole("button", { name: "Send" }).click();
    expect((await sent).postDataJSON()).toEqual({
      sessionId: "s_1",
      files: [
        { name: "notes.txt", data: Buffer.from("Buy milk.").toString("base64") },
        { name: "pasted.png", data: Buffer.from("bytes of pasted.png").toString("base64") },
      ],
    });
    await eventually(() => list.count(), 0);
    expect(faults).toEqual([]);
  });

  test("a file that is too large is not taken, and the bounds are those of the server", async () => {
    const { page } = await openConsole(browser, "full", { path: "chat/new" });
    const buffer = Buffer.alloc(mostFileBytes + 1);
    await page
      .getByLabel("Files to attach")
      .setInputFiles([{ name: "film.mp4", mimeType: "video/mp4", buffer }]);
    await page.getByRole("alert").filter({ hasText: "Not attached: film.mp4" }).waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    expect([mostFiles, mostFileBytes]).toEqual([mostSentFiles, mostSentBytes]);
  });

  test("files of a message are folded, and a picture is shown when it is asked for", async () => {
    const { page, faults } = await openConsole(browser, "full", { path: "chat/s_1" });
    const said = page.locator("#entry-1");
    await said.getByText("File list.txt").click();
    expect(await said.getByRole("region", { name: "The text of the file" }).textContent()).toContain("Milk");
    expect(await said.locator("img").count()).toBe(0);
    await said.getByRole("button", { name: "Show the picture" }).click();
    await eventually(() => page.evaluate("document.querySelector('main img')?.naturalWidth"), 1);
    expect(faults).toEqual([]);
  });

  test("an answer is shown as Markdown, or as it was written; links lead into the web alone, and say where", async () => {
    const { page, visit, faults } = await openConsole(browser);
    await visit("chat/s_1");
    const answer = page.locator(".said", { hasText: "What I found" });
    await eventually(() => answer.locator("h2", { hasText: "What I found" }).count(), 1);
    expect(await answer.locator("li li em").textContent()).toBe("string");
    expect(await answer.locator("td").nth(2).textContent()).toBe("b.ts");
    expect(await answer.getByRole("region", { name: "Code" }).textContent()).toBe(
      "export const price: number = 3;",
    );
    const link = answer.getByRole("link", { name: "the manual" });
    expect(await link.getAttribute("href")).toBe("https://docs.example/build");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    const text = await answer.textContent();
    expect(text).toContain("the manual (docs.example)");
    expect(text).toContain("A picture that is not loaded: chart (charts.example)");
    expect(text).toContain("[go on](javascript:alert(1))");
    expect(text).toContain("<img src=x onerror=alert(1)> ⟨U+202E⟩cod.exe");
    expect(await answer.locator("a").count()).toBe(2);
    expect(await answer.locator("img").count()).toBe(0);
    await answer.getByRole("button", { name: "Show as written" }).click();
    expect(await answer.textContent()).toContain("fails in **two places**");
    await answer.getByRole("button", { name: "Show as Markdown" }).click();
    await answer.locator("strong", { hasText: "two places" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a person talks with an agent of haft serve: a question in the middle is answered, a run is stopped", async () => {
    const world = new Place();
    await useScriptedProvider(world, [
      {
        text: "I delete it.",
        calls: [{ name: "bash", input: { command: "echo bought > list.txt; rm list.txt" } }],
      },
      { text: "It is **gone**." },
      { text: "Word by word", isOpen: true },
      { text: "And once more", isOpen: true },
    ]);
    await serve(world);
    const { page, faults } = await openTab(browser, world);
    await followNav(page, "Chat");
    await page.getByRole("link", { name: "New session" }).click();
    await page.getByLabel("Message").fill("Delete the list");
    await page.getByLabel("Message").press("Enter");
    const question = page.locator(".chat-question");
    await question.getByText("asks for your yes").waitFor();
    expect(await question.locator(".exact-box").textContent()).toContain("rm list.txt");
    await question.locator('.yes[data-ready="true"]').click();
    await page.locator(".markdown strong", { hasText: "gone" }).waitFor();
    await eventually(() => page.locator(".chat-question").count(), 0);
    await page.locator(".chat-call").click();
    const link = page.getByRole("link", { name: "This call in the ledger" });
    const href = await link.getAttribute("href");
    expect(href).toMatch(/^\/console\/calls\/run_\w+\.1\.1$/);
    expect(await page.locator(".chat-status").textContent()).toContain("tokens");
    await page.getByLabel("Message", { exact: true }).fill("Go on for ever");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.locator('[data-live="true"]', { hasText: "Word by word" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator("main").getByText("Stopped by the user").waitFor();
    await page.locator(".chat-head .state", { hasText: "stopped" }).waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.locator('[data-live="true"]', { hasText: "And once more" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".chat-head .state", { hasText: "stopped" }).waitFor();
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.locator(".sessions", { hasText: "Delete the list" }).waitFor();
    await page.goto(new URL(href ?? "", page.url()).href);
    await page.getByRole("heading", { name: "Call of bash" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a file and a picture from the browser reach the model of haft serve", async () => {
    const world = new Place();
    const provider = await useScriptedProvider(world, [{ text: "Milk, and one grey dot." }], "", {
      model: "images: true",
    });
    await serve(world);
    const { page, faults } = await openTab(browser, world);
    await followNav(page, "Chat");
    await page.getByRole("link", { name: "New session" }).click();
    await page.getByLabel("Message").fill("What is this?");
    await page.getByLabel("Files to attach").setInputFiles([
      { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("Buy milk.") },
      { name: "dot.gif", mimeType: "image/gif", buffer: Buffer.from(dot, "base64") },
    ]);
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("main").getByText("Milk, and one grey dot.").waitFor();
    const asked = JSON.stringify(provider.lastMessages());
    expect(asked).toContain(JSON.stringify('<file path="list.txt">\nBuy milk.\n</file>').slice(1, -1));
    expect(asked).toContain(`data:image/gif;base64,${dot}`);
    await page.locator("main").getByText("File list.txt").click();
    await page.getByRole("button", { name: "Show the picture" }).click();
    await eventually(() => page.evaluate("document.querySelector('main img')?.naturalWidth"), 1);
    expect(faults).toEqual([]);
  });

  test("without a model it is said how to get one", async () => {
    const place = new Place();
    await serve(place);
    const { page } = await openTab(browser, place);
    await followNav(page, "Chat");
    await page.getByRole("link", { name: "Say something to an agent" }).click();
    await page.getByLabel("Message").fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("main").getByText("AGENT_MODEL").waitFor();
    await page.locator("main").getByText("A model is named in").waitFor();
  });
});
