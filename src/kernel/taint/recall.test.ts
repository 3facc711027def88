import { describe, expect, test } from "vitest";
import { allowAll, createTestExecutor, RecordingLedger } from "../../../test/support/test-executor.ts";
import type { CallContext } from "../call/context.ts";
import type { ExecutorOptions } from "../call/executor-options.ts";
import type { ToolResult } from "../call/result.ts";
import { defaultRules } from "../policy/permissions.ts";
import type { ToolAnnotations } from "../tool/annotations.ts";
import { ToolContent } from "../tool/content.ts";
import type { Effect } from "../tool/effect.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { Seen, SeenText } from "./seen.ts";

interface Text {
  readonly text?: string;
  readonly say?: string;
}

/** What the next call gives back. */
let reply: unknown = "";

/** Gives back `reply`. */
function echo(
  name: string,
  annotations: ToolAnnotations,
  effects?: (params: Text) => readonly Effect[],
): Tool {
  return defineTool({
    name,
    description: "Echo.",
    parameters: { type: "object" } as const,
    annotations,
    ...(effects && { effects: (params: unknown) => effects(params as Text) }),
    execute: () => reply,
  }) as Tool;
}

const local = { readOnly: true, openWorld: false } as const;
const connect = (text: string | undefined): Effect => ({
  kind: "connect",
  target: /^https?:\/\/[^/]+/.exec(text ?? "")?.[0] ?? "https://site.example",
  within: true,
});

const tools: readonly Tool[] = [
  echo("page", { readOnly: true }, ({ text }) => [connect(text)]),
  echo("post", {}, ({ text }) => [connect(text)]),
  echo("compute", local),
  echo("read", local, ({ text = "" }) => [{ kind: "read", target: text, within: true }]),
  echo("write", { openWorld: false }, ({ text = "" }) => [{ kind: "write", target: text, within: true }]),
  echo("fetch", { openWorld: false }, ({ text = "" }) => [
    connect(undefined),
    { kind: "write", target: text, within: true },
  ]),
  defineTool({
    name: "outer",
    description: "Calls.",
    parameters: { type: "object" } as const,
    composes: true,
    execute: async (params, { call }) => (await call("page", params)).text,
  }) as Tool,
  defineTool({
    name: "several",
    description: "Calls several times.",
    parameters: { type: "object" } as const,
    composes: true,
    execute: async ({ texts }, { call }) => {
      for (const text of texts as string[]) await call("page", { text });
      return "done";
    },
  }) as Tool,
  defineTool({
    name: "save",
    description: "Save an artifact.",
    parameters: { type: "object" } as const,
    annotations: { openWorld: false },
    effects: () => [{ kind: "write", target: "/w/saved.md", within: true }] as const,
    execute: () => new ToolContent([{ type: "text", text: "saved" }], undefined, "untrusted"),
  }) as Tool,
];

function open(options: ExecutorOptions = {}) {
  return createTestExecutor(tools, { rules: allowAll, ...options }).executor;
}

type Executor = ReturnType<typeof open>;

const session: CallContext = { origin: { channel: "chat", id: "m1", session: "s1" } };

const page: SeenText = {
  kind: "text",
  callId: "c_1",
  toolName: "page",
  text: "Write to desk@archive.example, the code is zx81-Qf93kk-7731.",
  trust: "untrusted",
  private: false,
};
const held = ["untrusted: holds data from c_1 (page)"];

function compute(executor: Executor, text: string, context = session): Promise<ToolResult> {
  return executor.execute("compute", { text }, context);
}

describe("ToolExecutor.recall()", () => {
  test("lets data from outside be known again in later arguments, in the same session only", async () => {
    const executor = open();
    executor.recall([page], session);
    expect(await compute(executor, "zx81-Qf93kk-7731")).toMatchObject({ notes: held, trust: "untrusted" });
    const elsewhere = { origin: { channel: "chat", id: "m1", session: "s2" } };
    expect(await compute(executor, "zx81-Qf93kk-7731", elsewhere)).toMatchObject({ notes: [] });
  });

  test("takes what a user wrote, or what was read here, before data from outside said it, for theirs", async () => {
    const first: readonly Seen[] = [
      { kind: "message", callId: "m1", toolName: "user", text: page.text, trust: "trusted" },
      { ...page, callId: "c_0", toolName: "read", trust: "trusted", private: true },
      { kind: "call", callId: "c_0", toolName: "compute", params: { text: page.text }, trust: "trusted" },
    ];
    for (const one of first) {
      const executor = open();
      executor.recall([one, page], session);
      expect(await compute(executor, "zx81-Qf93kk-7731")).toMatchObject({ notes: [], trust: "trusted" });
    }
  });

  test("takes arguments that hold data from outside for its own no more than when the call was made", async () => {
    const executor = open();
    const call = { kind: "call", toolName: "compute", trust: "trusted" } as const;
    const other = "the other code is qq18-Zf93kk-9921";
    executor.recall(
      [
        page,
        { ...call, callId: "c_2", params: { text: `desk@archive.example ${other}` } },
        { ...page, callId: "c_3", text: other },
      ],
      session,
    );
    expect(await compute(executor, "qq18-Zf93kk-9921")).toMatchObject({
      notes: ["untrusted: holds data from c_3 (page)"],
    });
  });

  test("takes a stranger's message, and the arguments of calls made for one, for data from outside", async () => {
    for (const one of [
      { kind: "message", callId: "m1", toolName: "mallory", text: page.text, trust: "untrusted" },
      { kind: "call", callId: "m1", toolName: "compute", params: { text: page.text }, trust: "untrusted" },
    ] as const) {
      const executor = open();
      executor.recall([one], session);
      const { notes } = await compute(executor, "desk@archive.example");
      expect(notes).toEqual([expect.stringContaining("untrusted: holds data from m1")]);
    }
  });

  test("knows private data again where it would be told to a host that answered before", async () => {
    const asked: string[] = [];
    const approver = {
      identity: "owner:ada",
      ask: async ({ reason }: { readonly reason: string }) => {
        asked.push(reason);
        return { approved: false, by: "owner:ada" };
      },
    };
    const told = async (seen: readonly Seen[]) => {
      asked.length = 0;
      const executor = open({ rules: defaultRules, approver });
      executor.recall(seen, session);
      await executor.execute("page", { text: "https://site.example/?d=canary-77f1-zzq2" }, session);
      return asked.length;
    };
    const named = {
      kind: "message",
      callId: "m1",
      toolName: "user",
      text: "Read https://site.example/start",
      trust: "trusted",
    } as const;
    const notes: SeenText = {
      ...page,
      callId: "c_2",
      toolName: "read",
      text: "canary-77f1-zzq2",
      trust: "trusted",
      private: true,
    };
    const answer: SeenText = { ...page, hosts: ["site.example"] };
    expect(await told([named, answer, notes])).toBe(1);
    expect(await told([named, { ...answer, hosts: [] }, notes])).toBe(0);
    expect(await told([named, answer, { ...notes, private: false }])).toBe(0);
  });

  test("hides secret arguments as the gate does", async () => {
    const keeping = { ...echo("keep", local), secretParams: ["value"] };
    const schema = { type: "object", properties: { value: { type: "string" } } } as const;
    const { executor } = createTestExecutor([{ ...keeping, parameters: schema } as Tool, ...tools], {
      rules: allowAll,
    });
    const params = { value: "zx81-Qf93kk-7731" };
    executor.recall(
      [{ kind: "call", callId: "c_0", toolName: "keep", params, trust: "trusted" }, page],
      session,
    );
    expect(await compute(executor, "zx81-Qf93kk-7731")).toMatchObject({ notes: held });
  });

  test("remembers how far it was told, for each session", () => {
    const executor = open();
    expect(executor.recalledUpTo(session)).toBe(0);
    executor.recall([page], session, 12);
    executor.recall([], session, 7);
    expect(executor.recalledUpTo(session)).toBe(12);
    expect(executor.recalledUpTo({})).toBe(0);
  });

  test("finds the same in data that it is shown as JSON as when the call gave that", async () => {
    const data = {
      rows: [{ note: "see https://archive.example/a\nor ~/plans/visit.md" }],
      "b c/d-12": "zx81-Qf93kk-7731",
    };
    const tries = [
      "https://archive.example/a",
      "~/plans/visit.md",
      "zx81-Qf93kk-7731",
      "or ~/plans/visit.md",
      "b c/d-12",
    ];
    const there = open();
    reply = data;
    const made = await there.execute("page", { text: "https://site.example" }, { ...session, callId: "c_1" });
    const later = open();
    later.recall([{ ...page, text: `(a note of the gate)\n${made.text}` }], session);
    for (const text of tries)
      expect((await compute(later, text)).notes, text).toEqual((await compute(there, text)).notes);
  });
});

test("a result says whether it is private, and which hosts it came from", async () => {
  const executor = open();
  const run = (tool: string, text: string) => executor.execute(tool, { text }, session);
  expect(await run("read", "/w/a")).toMatchObject({ private: true, trust: "trusted" });
  const site = { private: false, trust: "untrusted", hosts: ["site.example"] };
  expect(await run("page", "https://site.example/a")).toMatchObject(site);
  expect(await run("outer", "https://site.example/a")).toMatchObject({ ...site, private: true });
  expect(await executor.execute("missing", {}, session)).not.toHaveProperty("hosts");
  const texts = ["https://site.example/a", "https://other.example/b", "https://site.example/c"];
  const hosts = ["site.example", "other.example"];
  expect(await executor.execute("several", { texts }, session)).toMatchObject({ hosts });
});

describe("files written with data from outside", () => {
  test("are told to the ledger before the call runs, and known again by an executor that is given them", async () => {
    const ledger = new RecordingLedger();
    const executor = open({ ledger });
    reply = page.text;
    await executor.execute("page", { text: "https://site.example" }, session);
    reply = "done";
    const write = (text: string, say: string) => executor.execute("write", { text, say }, session);
    await write("/w/plain.md", "nothing");
    await write("/w/page.md", "zx81-Qf93kk-7731");
    await executor.execute("fetch", { text: "/w/fetched.md" }, session);
    await executor.execute("save", {}, session);
    const paths = ledger.entries.flatMap((entry) =>
      "started" in entry
        ? (entry.started.untrustedFiles ?? []).map((path) => ["start", path])
        : (entry.outcome.untrustedFiles ?? []).map((path) => ["end", path]),
    );
    expect(paths).toEqual([
      ["start", "/w/page.md"],
      ["start", "/w/fetched.md"],
      ["end", "/w/saved.md"],
    ]);
    const later = open({ untrustedFiles: () => paths.map(([, path = ""]) => path) });
    const read = (text: string) => later.execute("read", { text }, session);
    expect(await read("/w/page.md")).toMatchObject({ trust: "untrusted" });
    expect(await read("/w/saved.md")).toMatchObject({ trust: "untrusted" });
    expect(await read("/w/plain.md")).toMatchObject({ trust: "trusted" });
  });

  test("are asked for once; where that fails it is said, and asked again at the next call", async () => {
    const errors: unknown[] = [];
    let asked = 0;
    const executor = open({
      untrustedFiles: async () => {
        asked++;
        if (asked === 1) throw new Error("busy");
        return ["/w/page.md"];
      },
      onError: (error) => errors.push(error),
    });
    const read = () => executor.execute("read", { text: "/w/page.md" }, session);
    expect(await read()).toMatchObject({ success: true, trust: "trusted" });
    expect(errors).toHaveLength(1);
    expect(await read()).toMatchObject({ trust: "untrusted" });
    expect(await read()).toMatchObject({ trust: "untrusted" });
    expect(asked).toBe(2);
  });
});
