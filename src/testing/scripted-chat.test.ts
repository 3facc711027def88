import { describe, expect, test } from "vitest";
import { collect, collectFault, hello } from "../../test/support/model-server.ts";
import type { ChatMessage } from "../model/index.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createScriptedChat } from "./scripted-chat.ts";

describe("createScriptedChat()", () => {
  test("streams texts, thoughts and calls, and ends with all of it", async () => {
    const chat = createScriptedChat([
      {
        reasoning: "hm",
        text: "I look.",
        calls: [
          { name: "read", input: { path: "a" } },
          { name: "list", input: '{"broken', id: "mine" },
        ],
        pieceChars: 4,
        usage: { cacheReadTokens: 3 },
      },
    ]);
    const said = await collect(chat.stream(hello()));
    expect(said).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "I lo" },
      { type: "text", delta: "ok." },
      { type: "call-start", id: "call-1-1", name: "read" },
      ...['{"pa', 'th":', '"a"}'].map((delta) => ({ type: "call-delta", id: "call-1-1", delta })),
      { type: "call-start", id: "mine", name: "list" },
      ...['{"br', "oken"].map((delta) => ({ type: "call-delta", id: "mine", delta })),
      {
        type: "end",
        stop: "calls",
        model: "scripted",
        message: {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "hm", opaque: { model: "scripted", data: {} } },
            { type: "text", text: "I look." },
            { type: "call", id: "call-1-1", name: "read", input: '{"path":"a"}' },
            { type: "call", id: "mine", name: "list", input: '{"broken' },
          ],
        },
        usage: expect.objectContaining({ cacheReadTokens: 3, reasoningTokens: 1 }),
      },
    ]);
  });

  test("throws, and is cut after so many events", async () => {
    const chat = createScriptedChat([
      new Error("no"),
      { text: "abcdef", pieceChars: 2, cutAfter: 2 },
      { text: "abc", cutAfter: 0, error: new Error("gone") },
    ]);
    expect(await collectFault(chat.stream(hello()))).toMatchObject({ said: [], fault: { message: "no" } });
    expect(await collectFault(chat.stream(hello()))).toMatchObject({
      said: [{ delta: "ab" }, { delta: "cd" }],
      fault: { code: "MODEL_CUT" },
    });
    expect(await collectFault(chat.stream(hello()))).toMatchObject({ fault: { message: "gone" } });
    expect(await collectFault(chat.stream(hello()))).toMatchObject({
      fault: { message: "The script has no turn 4" },
    });
    expect(chat.asked).toHaveLength(4);
  });

  test("is silent on a clock, and hears its signal", async () => {
    const clock = createFakeClock();
    const chat = createScriptedChat(
      [
        { text: "abcd", pieceChars: 2, delayMs: 100, eachMs: 10 },
        { text: "x", delayMs: 1 },
      ],
      {
        clock,
      },
    );
    const said: string[] = [];
    const asking = (async () => {
      for await (const { type } of chat.stream(hello())) said.push(type);
    })();
    await clock.advance(99);
    expect(said).toEqual([]);
    await clock.advance(1);
    expect(said).toEqual(["text"]);
    await clock.advance(20);
    await asking;
    expect(said).toEqual(["text", "text", "end"]);
    const controller = new AbortController();
    const aborted = collectFault(chat.stream(hello({ signal: controller.signal })));
    await clock.advance(0);
    controller.abort(new Error("stop"));
    expect(await aborted).toMatchObject({ said: [], fault: { message: "stop" } });
    expect(clock.pending).toBe(0);
    expect(chat.broken).toBe(1);
  });

  test("says where the prefix of the last request is another than that before", async () => {
    const chat = createScriptedChat(() => "ok");
    const messages: ChatMessage[] = [{ role: "user", parts: [{ type: "text", text: "hi" }] }];
    const tool = { name: "read", description: "Read.", parameters: {} };
    const ask = async (part: Parameters<typeof hello>[0] = {}) => {
      await collect(chat.stream(hello({ messages, system: [{ text: "Rules." }], tools: [tool], ...part })));
      return chat.prefixChange();
    };
    expect(await ask()).toBeUndefined();
    messages.push({ role: "assistant", parts: [{ type: "text", text: "ok" }] });
    messages.push({ role: "user", parts: [{ type: "text", text: "more" }] });
    expect(await ask()).toBeUndefined();
    expect(await ask({ tools: [tool, tool] })).toBe("there were 1 tools, and are 2");
    expect(await ask()).toBe("there were 2 tools, and are 1");
    expect(await ask({ system: [{ text: "Rules!" }] })).toContain('system part 1 was {"text":"Rules."}');
    expect(await ask()).toContain("system part 1");
    expect(await ask({ messages: messages.slice(0, 2) })).toBe("message 3 is no longer there");
  });
});
