import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { HeldDeadline } from "../../../test/support/held-deadline.ts";
import { systemClock } from "../../base/index.ts";
import { Processes } from "../../host/index.ts";
import { defineTool, ToolContent, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { createHookSource, type HookEntry, type HookRun, type HookSourceServices } from "./index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-hooks-")));
const processes = new Processes();
afterAll(async () => {
  await processes.close();
  rmSync(root, { recursive: true });
});

const variables = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

const greet = defineTool({
  name: "greet",
  description: "Greet somebody.",
  parameters: z.strictObject({ name: z.string(), pin: z.string().optional() }),
  secretParams: ["pin"],
  execute: ({ name, pin }) => `Hello, ${name}${pin === undefined ? "" : ` (${pin})`}`,
});
const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetch.",
  parameters: z.object({}),
  execute: () => new ToolContent([{ type: "text", text: "a page" }], undefined, "untrusted"),
});

async function setUp(entries: readonly HookEntry[], more: Partial<HookSourceServices> = {}) {
  const folder = mkdtempSync(join(root, "p-"));
  const runs: [string, HookRun][] = [];
  const source = createHookSource({
    runShell: (line, options) => processes.runShell(line, options),
    folder,
    environment: () => variables,
    statistics: { record: (hook, run) => void runs.push([hook, run]) },
    clock: systemClock,
    folders: [join(folder, "agent/hooks")],
    configured: entries.map((entry) => ({ entry, file: "config" })),
    accepts: () => true,
    watch: false,
    ...more,
  });
  const write = (name: string, text: string) => {
    mkdirSync(join(folder, "agent/hooks"), { recursive: true });
    writeFileSync(join(folder, "agent/hooks", name), text);
  };
  const registry = new ToolRegistry();
  registry.registerMany([greet, fetchPage]);
  const executor = new ToolExecutor(registry, {
    rules: [{ decision: "allow" }, { decision: "deny", arguments: { name: "Mallory" } }],
    hooks: () => source.hooks(),
    ...(more.clock && { clock: more.clock }),
  });
  const call = (params: unknown = { name: "Ann" }, tool = "greet") =>
    executor.execute(tool, params, {
      agentId: "writer",
      userId: "ada",
      origin: { channel: "test", session: "s1" },
    });
  await source.start();
  return { folder, source, runs, write, call };
}

const guard: HookEntry = { id: "guard", type: "pre_tool", command: "true" };
const filter: HookEntry = { id: "filter", type: "post_tool", command: "true" };

describe("a pre_tool hook", () => {
  test.for<[string, object]>([
    ["true", { success: true, result: "Hello, Ann" }],
    ["echo checked", { success: true, result: "Hello, Ann" }],
    ["exit 1", { code: "TOOL_BLOCKED", error: 'Blocked by hook "guard": it gave no reason' }],
    ["echo not today >&2; exit 1", { code: "TOOL_BLOCKED", error: 'Blocked by hook "guard": not today' }],
    [
      `echo '{"message":"no greetings"}'; exit 1`,
      { code: "TOOL_BLOCKED", error: expect.stringContaining("no greetings") },
    ],
    [`echo '{"block":true,"message":"no"}'`, { code: "TOOL_BLOCKED", error: 'Blocked by hook "guard": no' }],
    [`echo '{"block":false}'`, { success: true }],
    ["echo oh >&2; exit 2", { code: "TOOL_BLOCKED", error: expect.stringContaining("exit code 2: oh") }],
    ["exit 77", { code: "TOOL_BLOCKED", error: expect.stringContaining("exit code 77") }],
    ["kill -9 $$", { code: "TOOL_BLOCKED", error: expect.stringContaining("failed") }],
    [`echo '{"blok":true}'`, { code: "TOOL_BLOCKED", error: expect.stringContaining('has the key "blok"') }],
    [
      `echo '{"block":"yes"}'`,
      { code: "TOOL_BLOCKED", error: expect.stringContaining("neither true nor false") },
    ],
    [`echo '{"block":'`, { code: "TOOL_BLOCKED", error: expect.stringContaining("not JSON") }],
    ["no-such-program-here", { code: "TOOL_BLOCKED", error: expect.stringContaining("127") }],
  ])("that runs `%s` decides", async ([command, outcome]) => {
    const { call } = await setUp([{ ...guard, command }]);
    expect(await call()).toMatchObject(outcome);
  });

  test("that only advises is noted, whatever it says, and the call goes on", async () => {
    for (const command of ["echo careful >&2; exit 1", "exit 2"]) {
      const { call } = await setUp([{ ...guard, command, blocking: false }]);
      const result = await call();
      expect(result).toMatchObject({ success: true, result: "Hello, Ann" });
      expect(result.notes).toEqual([expect.stringContaining('hook "guard" failed: ')]);
    }
  });

  test("that takes too long blocks, and is ended", async () => {
    const deadline = new HeldDeadline(500);
    const hooks = [{ ...guard, command: "echo $$ > pid; sleep 1000", timeout: 500 }];
    const { call, folder } = await setUp(hooks, { clock: deadline.clock });
    const called = call();
    await vi.waitFor(() => expect(readFileSync(join(folder, "pid"), "utf8")).toMatch(/^\d+\n$/), 30_000);
    deadline.pass();
    expect(await called).toMatchObject({ code: "TOOL_BLOCKED", error: expect.stringContaining("500 ms") });
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 30_000);
  });

  test("changes the arguments, which are validated and decided again", async () => {
    const change = (name: unknown) => `echo '{"modified_input":${JSON.stringify({ name })}}'`;
    const bob = await setUp([{ ...guard, command: change("Bob") }]);
    expect(await bob.call()).toMatchObject({
      result: "Hello, Bob",
      notes: ['hook "guard" changed the arguments'],
    });
    const wrong = await setUp([{ ...guard, command: change(7) }]);
    expect(await wrong.call()).toMatchObject({ code: "TOOL_VALIDATION" });
    const forbidden = await setUp([{ ...guard, command: change("Mallory") }]);
    expect(await forbidden.call()).toMatchObject({ code: "TOOL_PERMISSION" });
  });

  test("gets the call as JSON and as the documented variables, without its secret arguments", async () => {
    const { call, folder } = await setUp([
      {
        ...guard,
        command:
          'cat > input; env | grep -e "^TOOL_" -e "_ID=" -e "^HOOK_" | sort > variables; echo \'{"modified_input":{"name":"Bob"}}\'',
      },
    ]);
    const result = await call({ name: "Ann", pin: "1234" });
    expect(result).toMatchObject({ result: "Hello, Bob (1234)" });
    expect(JSON.parse(readFileSync(join(folder, "input"), "utf8"))).toEqual({
      hook: "guard",
      type: "pre_tool",
      call_id: result.callId,
      tool: { name: "greet", category: "custom" },
      input: { name: "Ann" },
      agent_id: "writer",
      session_id: "s1",
      user_id: "ada",
    });
    expect(readFileSync(join(folder, "variables"), "utf8")).toBe(
      `AGENT_ID=writer\nHOOK_TYPE=pre_tool\nSESSION_ID=s1\nTOOL_ID=${result.callId}\nTOOL_INPUT={"name":"Ann"}\nTOOL_NAME=greet\nUSER_ID=ada\n`,
    );
  });

  test("gets a call on its input that is too large for a variable", async () => {
    const { call, folder } = await setUp([
      { ...guard, command: "wc -c > size; echo ${#TOOL_INPUT} > variable" },
    ]);
    expect(await call({ name: "x".repeat(1_000_000) })).toMatchObject({ success: true });
    expect(Number(readFileSync(join(folder, "size"), "utf8"))).toBeGreaterThan(1_000_000);
    expect(readFileSync(join(folder, "variable"), "utf8")).toBe("0\n");
  });

  test("is asked for the tools that its globs name, by priority", async () => {
    const log = (id: string, more: Partial<HookEntry>): HookEntry => ({
      id,
      type: "pre_tool",
      command: `echo ${id} >> log`,
      ...more,
    });
    const { call, folder } = await setUp([
      log("all", { tools: [] }),
      log("late", { tools: ["gr*"], priority: 5 }),
      log("early", { tools: ["greet"], priority: -1 }),
      log("other", { tools: ["fetch_*"] }),
      log("off", { enabled: false }),
    ]);
    await call();
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("early\nall\nlate\n");
  });
});

describe("a post_tool hook", () => {
  test("sees how the call came out, and may filter it", async () => {
    const { call, folder } = await setUp([
      {
        ...filter,
        command: `cat > input; echo "$TOOL_OUTPUT" > output; echo '{"modified_output":"[filtered]"}'`,
      },
    ]);
    expect(await call()).toMatchObject({ success: true, result: "[filtered]" });
    expect(JSON.parse(readFileSync(join(folder, "input"), "utf8"))).toMatchObject({
      type: "post_tool",
      success: true,
      output: "Hello, Ann",
    });
    expect(readFileSync(join(folder, "output"), "utf8")).toBe("Hello, Ann\n");
  });

  test("is not told a secret that came back, and the call still comes out", async () => {
    const { call, folder } = await setUp(
      [{ ...filter, command: 'cat > input; echo "$TOOL_OUTPUT $TOOL_INPUT" > variables' }],
      { redact: (said) => said.replaceAll("Ann", "[redacted:NAME]") },
    );
    expect(await call()).toMatchObject({ success: true, result: "Hello, Ann" });
    expect(JSON.parse(readFileSync(join(folder, "input"), "utf8"))).toMatchObject({
      input: { name: "[redacted:NAME]" },
      output: "Hello, [redacted:NAME]",
    });
    expect(readFileSync(join(folder, "variables"), "utf8")).not.toContain("Ann");
  });

  test("does not make trusted what came from outside", async () => {
    const { call } = await setUp([{ ...filter, command: `echo '{"modified_output":"clean"}'` }]);
    expect(await call({}, "fetch_page")).toMatchObject({ text: "clean", trust: "untrusted" });
  });

  test.for(["exit 1", "exit 2", `echo '{"block":true}'`, `echo '{"modified_output":'`])(
    "that runs `%s` withholds the result",
    async (command) => {
      const { call } = await setUp([{ ...filter, command }]);
      const result = await call();
      expect(result).toMatchObject({ success: false, code: "TOOL_WITHHELD" });
      expect(JSON.stringify(result)).not.toContain("Hello, Ann");
    },
  );
});

describe("hooks in files", () => {
  const text = (command: string, more = "") =>
    `---\nid: from-file\ntype: pre_tool\ntools: ["greet"]\ncommand: ${JSON.stringify(command)}\n${more}---\n\nLooks after greetings.\n`;

  test("are read from Markdown, with their timeout in seconds", async () => {
    const { source, write, call } = await setUp([]);
    write("a.md", text("exit 1", "timeout: 5\nblocking: true\n"));
    await source.start();
    expect(source.definitions()).toMatchObject([
      { id: "from-file", timeoutMs: 5000, description: "Looks after greetings." },
    ]);
    expect(await call()).toMatchObject({ code: "TOOL_BLOCKED" });
  });

  test("that nobody has accepted are not run", async () => {
    const { source, write, call, folder } = await setUp([], { accepts: () => false });
    write("a.md", text("echo ran > ran; exit 1"));
    await source.start();
    expect(await call()).toMatchObject({ success: true });
    expect(source.problems()).toMatchObject([{ code: "SOURCE_NOT_TRUSTED" }]);
    expect(() => readFileSync(join(folder, "ran"))).toThrow();
  });

  test("keep their last good form while the file is wrong", async () => {
    const { source, write, call } = await setUp([]);
    write("a.md", text("echo no >&2; exit 1"));
    await source.start();
    write("a.md", text("true", "blcking: false\n"));
    await source.start();
    expect(await call()).toMatchObject({ error: 'Blocked by hook "from-file": no' });
    expect(source.problems()).toMatchObject([
      { code: "FIELD_UNKNOWN", line: 6, message: expect.stringContaining('did you mean "blocking"') },
    ]);
  });

  test("that were never right block every call, and say which file it is", async () => {
    const { source, write, call } = await setUp([]);
    write("a.md", "---\nid: x\n");
    await source.start();
    expect(await call()).toMatchObject({ code: "TOOL_BLOCKED", error: expect.stringContaining("a.md:1") });
  });

  test("that can't be read at all block every call, and come back with the file", async () => {
    const { source, write, call, folder } = await setUp([]);
    write("a.md", text("true"));
    await source.start();
    expect(await call()).toMatchObject({ success: true });
    const file = source.definitions()[0]?.file ?? "";
    renameSync(file, join(folder, "elsewhere.md"));
    symlinkSync(join(folder, "elsewhere.md"), file);
    await source.reload();
    expect(await call()).toMatchObject({ code: "TOOL_BLOCKED", error: expect.stringContaining("a.md") });
    expect(source.problems()).toMatchObject([{ code: "SOURCE_UNREADABLE", where: file }]);
    renameSync(join(folder, "elsewhere.md"), file);
    await source.reload();
    expect(await call()).toMatchObject({ success: true });
  });

  test("do not take the id of another", async () => {
    const { source, write, call } = await setUp([{ ...guard, id: "from-file" }]);
    write("a.md", text("exit 1"));
    await source.start();
    expect(source.problems()).toMatchObject([{ code: "SOURCE_NAME_TAKEN" }]);
    expect(await call()).toMatchObject({
      code: "TOOL_BLOCKED",
      error: expect.stringContaining("has this id"),
    });
  });

  test("are followed as they change", async () => {
    const { source, write, call } = await setUp([], { watch: true });
    write("a.md", text("exit 1"));
    await vi.waitFor(async () => expect(await call()).toMatchObject({ code: "TOOL_BLOCKED" }), 30_000);
    write("a.md", text("true"));
    await vi.waitFor(async () => expect(await call()).toMatchObject({ success: true }), 30_000);
    await source.close();
  });
});

test("the runs of a hook are counted: how long, how often no, and why it failed", async () => {
  const { call, runs } = await setUp([
    { ...guard, command: "exit 1", blocking: false },
    { ...guard, id: "broken", command: "echo oh >&2; exit 3", blocking: false },
    { ...guard, id: "good" },
  ]);
  await call();
  expect(runs.map(([id, { blocked, error }]) => [id, blocked, error])).toEqual([
    ["broken", false, "it ended with exit code 3: oh"],
    ["good", false, undefined],
    ["guard", true, undefined],
  ]);
  expect(runs.every(([, { durationMs, at }]) => durationMs >= 0 && at > 0)).toBe(true);
});
