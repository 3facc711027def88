import { resolve } from "node:path";
import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import type { App } from "../../src/app/index.ts";
import { Installation } from "../support/installation.ts";
import { type AskedRequest, serveModel, streamEvents } from "../support/model-server.ts";
import { both, type WireName } from "../support/model-wires.ts";
import type { ProviderTurn } from "../support/scripted-provider.ts";
import { toWire } from "../support/scripted-wires.ts";

const changing = resolve("test/fixtures/mcp-client/changing-stdio.ts");
const serverTools = [
  { name: "echo", description: "Echo a text.", inputSchema: { type: "object", properties: { n: {} } } },
];
const runs = 5;
const stepsOfRun = 22;

/** The parts of a request that a provider caches, in the bytes that were sent, but for the marks. */
interface Sent {
  readonly tools: string;
  readonly system: string;
  readonly messages: string;
}

function readSent({ body, raw }: AskedRequest): Sent {
  // What was sent is what JSON.stringify writes, so parts of it are too.
  expect(JSON.stringify(body)).toBe(raw);
  const write = (value: unknown) =>
    JSON.stringify(value, (key, one: unknown) => (key === "cache_control" ? undefined : one)) ?? "";
  const { tools, system, messages } = body;
  return { tools: write(tools), system: write(system), messages: write(messages) };
}

/** How much of the messages of a request the next one repeats; its last brackets may be closed later. */
function isRepeated(before: Sent, next: Sent): boolean {
  const whole = before.messages.replace(/[\]}]+$/, "");
  return before.tools === next.tools && before.system === next.system && next.messages.startsWith(whole);
}

/** The paths of the cache marks in a request. */
function findMarks(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === "cache_control" ? [path] : findMarks(one, `${path}/${key}`),
  );
}

function configure(provider: WireName, url: string, toolsFile: string): string {
  return `models:
  main: { provider: ${provider}, url: "${url}", model: m, apiKey: key, contextTokens: 200000 }
agent: { model: main }
tools: { pinned: ["changing__*"] }
mcpServers: { changing: { command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify([changing, toolsFile])} } }
`;
}

/** What the model of the test does at its step of a run. */
function script(run: number, step: number): ProviderTurn {
  const read = { name: "read", input: { path: "notes.txt", offset: run * stepsOfRun + step } };
  const inputTokens = 6_000 + run * 1_000 + step;
  if (step === stepsOfRun - 1) return { text: `Run ${run} is done.`, inputTokens };
  if (step === 2) return { calls: [read, { name: "changing__echo", input: { n: run } }], inputTokens };
  if (step === 4 && run === 0)
    return {
      calls: [{ name: "load_tools", input: { tool: ["json_parse", "json_stringify"] } }],
      inputTokens,
    };
  if (step === 6 && run === 2)
    return { calls: [{ name: "load_tools", input: { tool: "sleep" } }], inputTokens };
  if (step === 8)
    return {
      calls: [{ name: "call_tool", input: { name: "json_parse", arguments: { text: `[${run}]` } } }],
      inputTokens,
    };
  if (step === 10 && run === 1)
    return { calls: [{ name: "memory_store", input: { content: "Tea is green here." } }], inputTokens };
  return { text: `Step ${step}.`, calls: [read], inputTokens };
}

async function keepInMind(app: App, label: string, text: string): Promise<void> {
  const { store } = await app.memory.filed();
  const entry = { kind: "block", label, tier: "core", text } as const;
  await store.edit("local", [{ do: "create_block", entry }], { by: "owner:ada" });
}

test.for(both)(
  "over 100 steps with new memory, tools, instructions, a lost server and a restart, each request to %s repeats the one before it",
  async (provider) => {
    const place = new Installation();
    place.write("project/notes.txt", "line\n".repeat(500));
    const toolsFile = place.write("tools.json", JSON.stringify(serverTools));
    const writeAgent = (text: string) => place.write("home/agent/config.md", `---\nid: main\n---\n${text}\n`);
    writeAgent("Be brief.");
    let run = 0;
    let step = 0;
    let leaveAt: (() => void) | undefined;
    const server = await serveModel(async (response, asked) => {
      const events = toWire(provider, script(run, step));
      if (run === 3 && step === 12 && leaveAt !== undefined) {
        leaveAt();
        leaveAt = undefined;
        return;
      }
      step++;
      await streamEvents(events)(response, asked);
    });
    const config = configure(provider, server.url, toolsFile);
    let { app } = await place.open(config);
    await keepInMind(app, "persona", "You like tea.");
    let sessionId: string | undefined;
    for (; run < runs; run++, step = 0) {
      await app.sources.settled();
      if (run === 1) await keepInMind(app, "habits", "Answers have one sentence.");
      if (run === 2) {
        await app.sources.mcp?.disconnect("changing");
        writeAgent("Be very brief.");
        await app.sources.reload();
      }
      if (run === 3)
        await app.sources.mcp?.connectAll([
          { name: "changing", command: process.execPath, args: [changing, toolsFile] },
        ]);
      let host = await app.agent();
      const parts = [{ type: "text" as const, text: `Read on, part ${run}.` }];
      const begun = await host.begin({
        parts,
        channel: "test",
        ...(sessionId !== undefined && { sessionId }),
      });
      sessionId = begun.sessionId;
      const leave = new AbortController();
      leaveAt = () => leave.abort(new Error("left"));
      const drive = () =>
        host.drive(begun, { emit: () => {}, interrupts: new Interrupts(), leave: leave.signal });
      let end = await drive().catch((error: unknown) => error);
      if (run === 3) {
        expect(end).toMatchObject({ message: "left" });
        await app.close();
        ({ app } = await place.open(config));
        await app.sources.settled();
        host = await app.agent();
        end = await host.drive(begun, { emit: () => {}, interrupts: new Interrupts() });
      }
      expect(end).toMatchObject({ state: "completed", text: `Run ${run} is done.` });
    }
    const sent = server.asked.map(readSent);
    expect(sent.length).toBeGreaterThan(100);
    const breaks = sent.flatMap((one, at) => (at === 0 || isRepeated(sent[at - 1] as Sent, one) ? [] : [at]));
    expect(breaks).toEqual([]);

    // Everything that changed was told.
    const { messages } = sent.at(-1) as Sent;
    for (const told of [
      "Answers have one sentence.",
      "Be very brief.",
      "json_stringify",
      "can't be called any more",
      "can be called again: changing__echo",
    ])
      expect(messages).toContain(told);
    expect(messages).toContain("what brought it is not there now. It may come back");
    for (const frozen of ["Be brief.", "You like tea."]) expect(server.asked[0]?.raw).toContain(frozen);

    const { sessions } = await app.store();
    expect((await sessions.get("local", sessionId ?? ""))?.epoch).toBe(1);
    if (provider === "anthropic") {
      for (const { body } of server.asked) {
        const marks = findMarks(body);
        expect(marks.length).toBeLessThanOrEqual(4);
        const { tools, messages: all } = body as { tools: unknown[]; messages: unknown[] };
        expect(marks).toContain(`/tools/${tools.length - 1}`);
        expect(marks.some((path) => path.startsWith("/system/"))).toBe(true);
        expect(marks.some((path) => path.startsWith(`/messages/${all.length - 1}/`))).toBe(true);
        if (all.length > 2)
          expect(marks.some((path) => path.startsWith(`/messages/${all.length - 3}/`))).toBe(true);
      }
    }

    // The next epoch has what was loaded among its tools: the one break, and it is announced by the epoch.
    const host = await app.agent();
    expect(await host.compact(sessionId ?? "")).toContain("summed up");
    run = runs - 1;
    step = stepsOfRun - 1;
    const begun = await host.begin({
      parts: [{ type: "text", text: "On." }],
      channel: "test",
      ...(sessionId !== undefined && { sessionId }),
    });
    await host.drive(begun, { emit: () => {}, interrupts: new Interrupts() });
    const after = readSent(server.asked.at(-1) as AskedRequest);
    for (const name of ["json_parse", "json_stringify", "sleep"])
      expect(after.tools).toContain(`"name":"${name}"`);
    expect(server.asked.at(-1)?.raw).toContain("Be very brief.");
    expect((await sessions.get("local", sessionId ?? ""))?.epoch).toBe(2);
  },
);
