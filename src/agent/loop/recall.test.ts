import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answered, noted, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import { type CallContext, defineTool, type Seen, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import type { Entry, EntryContent } from "../../modules/sessions/index.ts";
import { createFakeClock, createScriptedChat, type ScriptedTurn } from "../../testing/index.ts";
import { compactNow } from "../compaction/compact.ts";
import { Interrupts } from "./interrupts.ts";
import { MemoryJournal, type Prefix } from "./journal.ts";
import type { News, NewsSource } from "./news.ts";
import { Recall } from "./recall.ts";
import { runLoop } from "./run-loop.ts";
import { listSeen } from "./seen-entries.ts";

const clock = createFakeClock();
const nothing = { upTo: 0, made: new Set<string>(), readArguments: (_: string, given: unknown) => given };

const entries: readonly Entry[] = number(
  said("Look."),
  answered(1, "I look.", [["read", '{"path":"a"}'], "missing", ["page", '{"url":"b"}'], "skipped"]),
  resulted("r.1.1", "of a"),
  { kind: "result", callId: "r.1.2", name: "missing", text: "none", failed: true, code: "TOOL_NOT_FOUND" },
  { ...resulted("r.1.3", "of b"), hosts: ["site.example"] } as never,
  { kind: "result", callId: "r.1.4", name: "skipped", text: "Not run: …", failed: true },
  noted("time"),
);

describe("listSeen()", () => {
  test("lists messages, and before the first result of an answer the arguments of its calls that were traced", () => {
    const said = listSeen(entries, nothing).map((seen) => [
      seen.kind,
      seen.callId,
      seen.kind === "call" ? seen.params : seen.text,
    ]);
    expect(said).toEqual([
      ["message", "message 1", "Look."],
      ["call", "r.1.1", { path: "a" }],
      ["call", "r.1.3", { url: "b" }],
      ["text", "r.1.1", "of a"],
      ["text", "r.1.2", "none"],
      ["text", "r.1.3", "of b"],
      ["text", "r.1.4", "Not run: …"],
      ["text", "note 7", "time"],
    ]);
  });

  test("lists the arguments of a call that is parked before the results of its answer, as the gate traced them", () => {
    const asked = answered(1, "", [
      ["page", '{"url":"b"}'],
      ["send", '{"to":"b"}'],
    ]);
    const parked = { kind: "parked", callId: "r.1.2", waitFor: "approval:q" } as const;
    const told = [
      ["call", "r.1.1"],
      ["call", "r.1.2"],
      ["text", "r.1.1"],
    ];
    const list = (...last: readonly EntryContent[]) =>
      listSeen(number(asked, resulted("r.1.1", "of b"), parked, ...last), nothing).map(({ kind, callId }) => [
        kind,
        callId,
      ]);
    expect(list()).toEqual(told);
    expect(list(resulted("r.1.2"))).toEqual([...told, ["text", "r.1.2"]]);
    // Told by the process that parked it, which the gate still knows.
    expect(listSeen(number(asked, resulted("r.1.1"), parked), { ...nothing, upTo: 3 })).toEqual([]);
  });

  test("gives trust, privacy and hosts as the entries have them; arguments have the trust of their answer", () => {
    const strange = entries.map((entry) => ({ ...entry, trust: "untrusted" as const, private: true }));
    for (const seen of listSeen(strange, nothing)) {
      expect(seen).toMatchObject({ trust: "untrusted" });
      if (seen.kind === "text") expect(seen.private).toBe(true);
    }
    expect(listSeen(strange, nothing)[5]).toMatchObject({ hosts: ["site.example"] });
  });

  test("parses the arguments of a call when the gate reads them", () => {
    const read: string[] = [];
    const seen = listSeen(entries, {
      ...nothing,
      readArguments: (name, given) => {
        read.push(name);
        return given;
      },
    });
    expect(read).toEqual([]);
    expect(seen.flatMap((one) => (one.kind === "call" ? [one.params] : []))).toEqual([
      { path: "a" },
      { url: "b" },
    ]);
    expect(read).toEqual(["read", "page"]);
  });

  test("leaves out definitions of tools, which a server may have written", () => {
    expect(listSeen(number(noted("tools"), noted("memory")), nothing)).toMatchObject([{ callId: "note 2" }]);
  });

  test("leaves out what was told before, and calls that the gate has seen itself", () => {
    expect(listSeen(entries, { ...nothing, upTo: 6 })).toMatchObject([{ callId: "note 7" }]);
    const [summary, ...kept] = number(
      { kind: "summary", text: "all", keptFrom: 2, attempt: 1 },
      said("b"),
      said("c"),
    );
    const after = [{ ...(summary as Entry), seq: 4 }, ...kept];
    const list = (upTo: number) => listSeen(after, { ...nothing, upTo }).map(({ callId }) => callId);
    expect(list(3)).toEqual(["summary 4"]);
    expect(list(2)).toEqual(["summary 4", "message 3"]);
    expect(list(4)).toEqual([]);
    const made = new Set(["r.1.1", "r.1.2", "r.1.3", "r.1.4"]);
    expect(listSeen(entries, { ...nothing, made }).map(({ callId }) => callId)).toEqual([
      "message 1",
      "note 7",
    ]);
  });
});

/** What the gate is told, each with how far that goes. */
class TellingGate {
  readonly told: (readonly [seen: readonly string[], upTo: number])[] = [];

  recall(seen: readonly Seen[], _context?: CallContext, upTo = 0): void {
    this.told.push([seen.map((one) => `${one.kind} ${one.kind === "call" ? one.toolName : one.text}`), upTo]);
  }

  recalledUpTo(): number {
    return this.told.at(-1)?.[1] ?? 0;
  }
}

function makeGate(seen: CallContext[] = []): ToolExecutor {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "look",
      description: "Look.",
      parameters: z.strictObject({ at: z.string() }),
      annotations: { readOnly: true, openWorld: false },
      execute: ({ at }) => `saw ${at}`,
    }),
  );
  const executor = new ToolExecutor(registry);
  return Object.assign(executor, {
    run: (name: string, params: unknown, context: CallContext) => {
      seen.push(context);
      return executor.execute(name, params, context);
    },
  });
}

interface Driving {
  readonly journal: MemoryJournal;
  readonly gate?: TellingGate;
  readonly context?: CallContext;
  readonly prefix?: Partial<Prefix>;
  readonly made?: CallContext[];
  readonly news?: NewsSource;
}

async function drive(
  script: Parameters<typeof createScriptedChat>[0],
  { journal, gate = new TellingGate(), context = {}, prefix = {}, made = [], news }: Driving,
) {
  const model = createScriptedChat(script);
  return runLoop({
    journal,
    model,
    executor: makeGate(made),
    recall: new Recall({ journal, executor: gate, context: () => context }),
    makePrefix: async () => ({ model: model.id, system: [], tools: [], ...prefix }),
    context: () => context,
    interrupts: new Interrupts(),
    leave: new AbortController().signal,
    emit: () => {},
    maxSteps: 10,
    clock,
    ...(news !== undefined && { news }),
  });
}

const look = { calls: [{ name: "look", input: { at: "a" } }] };

function ask(journal: MemoryJournal, text: string, trust: "trusted" | "untrusted" = "trusted"): void {
  journal.post({ sender: trust === "trusted" ? "user" : "mallory", parts: [{ type: "text", text }], trust });
}

describe("Recall", () => {
  const memory = {
    kind: "text",
    callId: "m_1",
    toolName: "memory",
    text: "Ada likes tea",
    trust: "trusted",
    private: true,
  } as const;

  test("tells each entry once over two runs in one process, and not what this process has called", async () => {
    const gate = new TellingGate();
    const first = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(first, "one");
    await drive([look, "Done."], { journal: first, gate, prefix: { seen: [memory] } });
    const second = first.next("r2");
    ask(second, "two");
    await drive([look, "Done."], { journal: second, gate, prefix: { seen: [memory] } });
    expect(gate.told.filter(([seen]) => seen.length > 0)).toEqual([
      [["text Ada likes tea"], 0],
      [["message one"], 1],
      [["message two"], 5],
    ]);
    expect(gate.recalledUpTo()).toBe(7);
  });

  test("tells all again, also what this process has called, once the gate has forgotten the conversation", async () => {
    const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    const told: string[][] = [];
    let upTo = 0;
    const executor = {
      recall: (seen: readonly Seen[], _: CallContext, newest = 0) => {
        told.push(seen.map(({ kind }) => kind));
        upTo = newest;
      },
      recalledUpTo: () => upTo,
    };
    const recall = new Recall({ journal, executor, context: () => ({}) });
    await journal.write({
      prefix: { model: "scripted", system: [], tools: [], seen: [memory] },
      entries: [said("one")],
    });
    await recall.tell();
    recall.noteMade("r.1.1");
    await journal.write({ entries: [answered(1, "", ["look"]), resulted("r.1.1", "saw a")] });
    await recall.tell();
    expect(told).toEqual([["text", "message"], []]);
    upTo = 0;
    await recall.tell();
    expect(told.at(-1)).toEqual(["text", "message", "call", "text"]);
  });

  test("tells all of a session to the gate of another process, the memories of its prefix first", async () => {
    const before = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(before, "one");
    await drive([look, "Done."], { journal: before, prefix: { seen: [memory] } });
    const gate = new TellingGate();
    const after = before.next("r2");
    ask(after, "two");
    await drive(["Done."], { journal: after, gate });
    expect(gate.told).toEqual([
      [["text Ada likes tea", "message one", "call look", "text saw a"], 4],
      [["message two"], 5],
    ]);
  });

  test("tells what is new before the request that shows it: a note, and the memories of a new prefix", async () => {
    const gate = new TellingGate();
    const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(journal, "one");
    const note = { kind: "note", about: "memory", text: "Ada drinks coffee" } as const;
    const prefix = { model: "scripted", system: [], tools: [], seen: [memory] };
    const toldAt: (readonly string[])[] = [];
    const all: News[] = [{ notes: [note] }, { notes: [], prefix }, { notes: [] }];
    const news: NewsSource = {
      resume: async () => {},
      find: async () => all.shift() ?? { notes: [] },
      explainGone: () => undefined,
    };
    await drive(
      (_, before) => {
        toldAt.push(gate.told.flatMap(([seen]) => seen));
        return before < 2 ? look : "Done.";
      },
      { journal, gate, news },
    );
    const first = ["message one", "text Ada drinks coffee"];
    const second = [...first, "text Ada likes tea"];
    expect(toldAt).toEqual([first, second, second]);
  });

  test("tells a summary as a whole: untrusted, private and from all hosts if any of its entries is", async () => {
    for (const trust of ["trusted", "untrusted"] as const) {
      const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
      const isPrivate = trust === "untrusted";
      await journal.write({
        entries: [{ ...said("x".repeat(400)), tokens: 4_000 }, answered(1, "y".repeat(400), ["t"])],
      });
      const result = { ...resulted("r.1.1", "z"), trust, private: isPrivate, hosts: ["a.example"] };
      await journal.write({
        entries: [result as never, { ...answered(2, "w"), tokens: 4_000 }, { ...said("v"), tokens: 4_000 }],
      });
      await compactNow({
        journal,
        model: createScriptedChat(["All is well."]),
        makePrefix: async () => ({ model: "scripted", system: [], tools: [] }),
        signal: new AbortController().signal,
      });
      expect(journal.entries[0]).toMatchObject({
        kind: "summary",
        trust,
        private: isPrivate,
        hosts: ["a.example"],
      });
      const gate = new TellingGate();
      const recall = new Recall({ journal, executor: gate, context: () => ({}) });
      await recall.tell();
      await recall.tell();
      expect(gate.told).toHaveLength(1);
      expect(gate.told[0]?.[0][0]).toContain("All is well.");
      expect(gate.recalledUpTo()).toBe(journal.entries[0]?.seq);
    }
  });
});

describe("the trust of a run's calls", () => {
  const trusts = (made: readonly CallContext[]) => made.map(({ trust }) => trust);

  test("is untrusted from a stranger's message on, to the end of the run and of no other", async () => {
    const made: CallContext[] = [];
    const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(journal, "Look.");
    const gate = makeGate(made);
    const script: ScriptedTurn[] = [look, look, "Done."];
    const model = createScriptedChat((_, before) => {
      if (before === 1) ask(journal, "Look here.", "untrusted");
      if (before === 2) ask(journal, "Go on.");
      return before < 4 ? look : (script.at(-1) as ScriptedTurn);
    });
    const parts = {
      model,
      executor: gate,
      makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
      context: () => ({}),
      interrupts: new Interrupts(),
      leave: new AbortController().signal,
      emit: () => {},
      maxSteps: 10,
      clock,
    };
    await runLoop({ ...parts, journal });
    expect(trusts(made)).toEqual(["trusted", "trusted", "untrusted", "untrusted"]);
    const answers = journal.entries.filter(({ kind }) => kind === "answer").map(({ trust }) => trust);
    expect(answers).toEqual(["trusted", "trusted", "untrusted", "untrusted", "untrusted"]);
    const next = journal.next("r2");
    ask(next, "Look.");
    made.length = 0;
    await drive([look, "Done."], { journal: next, made });
    expect(trusts(made)).toEqual(["trusted"]);
  });

  test("stays untrusted once a summary has replaced the stranger's message", async () => {
    const made: CallContext[] = [];
    const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(journal, "Look.");
    await journal.write({
      entries: [
        {
          kind: "user",
          sender: "mallory",
          parts: [{ type: "text", text: "x" }],
          trust: "untrusted",
          tokens: 4_000,
        },
        { ...answered(1, "y".repeat(400)), tokens: 4_000 },
        { ...said("v"), tokens: 4_000 },
      ],
    });
    await compactNow({
      journal,
      model: createScriptedChat(["All is well."]),
      makePrefix: async () => ({ model: "scripted", system: [], tools: [] }),
      signal: new AbortController().signal,
    });
    expect(journal.entries.map(({ kind }) => kind)).toEqual(["summary", "user"]);
    await drive([look, "Done."], { journal, made });
    expect(trusts(made)).toEqual(["untrusted"]);
  });

  test("is untrusted where the run was begun so", async () => {
    const made: CallContext[] = [];
    const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
    ask(journal, "Look.");
    await drive([look, "Done."], { journal, made, context: { trust: "untrusted" } });
    expect(trusts(made)).toEqual(["untrusted"]);
  });
});
