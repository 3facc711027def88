import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { HeldDeadline } from "../../../test/support/held-deadline.ts";
import { needs } from "../../../test/support/needs.ts";
import { levelsHere, openSandbox, sandboxHere } from "../../../test/support/sandbox-levels.ts";
import { openStore } from "../../app/store/index.ts";
import {
  createConnector,
  Environment,
  outsideRules,
  Processes,
  type SandboxLevel,
  type SandboxOptions,
  UndoFolder,
  Workspace,
} from "../../host/index.ts";
import { type CallContext, type ExecutorOptions, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { shellTools } from "./shell-tools.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bash-")));
const folder = join(base, "work");
const outside = join(base, "outside");
mkdirSync(join(folder, "sub"), { recursive: true });
mkdirSync(outside);
symlinkSync(outside, join(folder, "way-out"));
writeFileSync(join(folder, "file"), "");

const processes = new Processes();
const environment = new Environment();
const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")) });
const tools = shellTools({ processes, workspace, environment });

afterAll(async () => {
  await processes.close();
  rmSync(base, { recursive: true });
});

const context: CallContext = { allowedPaths: [folder], agentId: "me" };

function gate(options: ExecutorOptions = {}): ToolExecutor {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  return new ToolExecutor(registry, { rules: [{ decision: "allow" }], ...options });
}

test("shellTools() gives nothing where there is nothing to run commands with", () => {
  expect(shellTools({ workspace, environment })).toEqual([]);
});

test("bash returns both outputs and the exit code, as text and as data", async () => {
  const result = await gate().execute("bash", { command: "echo out; echo err >&2; exit 3" }, context);
  expect(result).toMatchObject({
    success: true,
    text: "out\n[stderr]\nerr\n[exit code 3]",
    result: { stdout: "out\n", stderr: "err\n", exit_code: 3, sandbox: "process-group" },
  });
});

test.for([
  { command: "true", text: "(no output)" },
  { command: "exit 1", text: "(no output)\n[exit code 1]" },
  { command: "echo $((6 * 7))", text: "42" },
  { command: "echo bad >&2", text: "[stderr]\nbad" },
  { command: "kill -9 $$", text: "(no output)\n[ended by SIGKILL, exit code 137]" },
  { command: "printf '\\377x'", text: "\ufffdx\n[stdout: bytes that are not UTF-8 stand as \ufffd]" },
  {
    command: "sleep 600 & echo on",
    text: "on\n[stopped a process still running in the background: nothing outlives its call]",
  },
])("bash shows $command as a model reads it", async ({ command, text }) => {
  expect((await gate().execute("bash", { command }, context)).text).toBe(text);
});

test("bash runs in the working folder, in a folder within it, or in one that was allowed", async () => {
  const pwd = async (cwd?: string) =>
    (await gate().execute("bash", { command: "pwd", ...(cwd && { cwd }) }, context)).text;
  expect([await pwd(), await pwd("sub"), await pwd(join(folder, "sub")), await pwd(outside)]).toEqual([
    folder,
    join(folder, "sub"),
    join(folder, "sub"),
    outside,
  ]);
});

test("bash asks for each part that changes something, and for a folder outside", async () => {
  const asked: unknown[] = [];
  const approver = {
    identity: "me",
    ask: (approval: { readonly effects: unknown; readonly params: unknown }) => {
      asked.push([approval.params, approval.effects]);
      return Promise.resolve({ approved: false as const, by: "me" });
    },
  };
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  const executor = new ToolExecutor(registry, { approver });
  const command = "touch made; echo 'a  b'";
  for (const cwd of [".", "way-out"]) {
    expect(await executor.execute("bash", { command, cwd }, context)).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
    });
  }
  const asks = "no sandbox keeps it to the allowed folders";
  const run = { kind: "run", target: "touch made", within: false, asks, argument: "command", routine: true };
  expect(asked).toEqual([
    [{ command, cwd: "." }, [{ ...run, folder }]],
    [
      { command, cwd: "way-out" },
      [
        { ...run, folder: outside },
        { kind: "read", target: outside, within: false },
      ],
    ],
  ]);
});

test.for([
  { cwd: "none", code: "PROCESS_FOLDER" },
  { cwd: "file", code: "PROCESS_FOLDER" },
  { cwd: "a\0b", code: "PATH_INVALID" },
])("bash refuses to run in $cwd", async ({ cwd, code }) => {
  expect(await gate().execute("bash", { command: "true", cwd }, context)).toMatchObject({
    success: false,
    code,
  });
});

test("bash refuses to run without an allowed folder", async () => {
  const result = await gate({ rules: [{ decision: "allow", within: true }] }).execute(
    "bash",
    { command: "true", cwd: folder },
    {},
  );
  expect(result).toMatchObject({ success: false, code: "TOOL_PERMISSION" });
});

test("bash gives a command the chosen environment and what this agent set, nothing else of ours", async () => {
  process.env["HAFT_TEST_SECRET"] = "not for commands";
  environment.set({ scope: "local", agentId: "me" }, "GREETING", "hello");
  const command = 'echo "$GREETING|$HAFT_TEST_SECRET|$HOME"';
  const texts = [
    (await gate().execute("bash", { command }, context)).text,
    (await gate().execute("bash", { command }, { ...context, agentId: "other" })).text,
  ];
  delete process.env["HAFT_TEST_SECRET"];
  const home = process.env["HOME"] ?? "";
  expect(texts).toEqual([`hello||${home}`, `||${home}`]);
});

test("bash shows output while the command runs, and keeps it when the deadline passes", async () => {
  const timeout = 54_321;
  const deadline = new HeldDeadline(timeout);
  const { clock } = deadline;
  const onUpdate = deadline.onceSaid("one\ntwo\n");
  const command = "echo one; sleep 0.1; echo two >&2; sleep 600";
  const result = await gate({ clock }).execute("bash", { command, timeout }, { ...context, onUpdate });
  expect(result).toMatchObject({ success: false, code: "TOOL_TIMEOUT", partial: "one\ntwo\n" });
  expect(result).not.toHaveProperty("stillRunning");
});

test(
  "bash is stopped with all it started when its caller cancels",
  needs("linux", process.platform === "linux"),
  async () => {
    const stop = new AbortController();
    const result = await gate().execute(
      "bash",
      { command: "setsid sleep 600 & echo $!; wait" },
      { ...context, signal: stop.signal, onUpdate: () => stop.abort() },
    );
    expect(result).toMatchObject({
      success: false,
      code: "TOOL_CANCELLED",
      partial: expect.stringMatching(/^\d+\n$/),
    });
    expect(runs(Number(result.success ? 0 : result.partial))).toBe(false);
  },
);

/** A process that has ended keeps its number until its parent takes note of it. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

test.for([0, -1, 600_001, 1.5])("bash refuses a timeout of %d", async (timeout) => {
  expect(await gate().execute("bash", { command: "true", timeout }, context)).toMatchObject({
    code: "TOOL_VALIDATION",
  });
});

test("bash keeps all of a long output as an artifact, and its data within bounds", async () => {
  await using store = await openStore({ path: ":memory:" });
  const result = await gate({ artifacts: store.artifacts }).execute(
    "bash",
    { command: "seq 100000; exit 2" },
    context,
  );
  const whole = `${Array.from({ length: 100_000 }, (_, index) => index + 1).join("\n")}\n[exit code 2]`;
  expect(result.artifact?.chars).toBe(whole.length);
  expect(result.text.startsWith("1\n2\n3\n")).toBe(true);
  expect(result.text.endsWith("\n99999\n100000\n[exit code 2]")).toBe(true);
  const page = await store.artifacts.readText("local", result.artifact?.id ?? "", {
    offset: 0,
    length: 1_000_000,
  });
  expect(page?.text).toBe(whole);
  expect(result).toMatchObject({ success: true, result: { exit_code: 2, stderr: "", truncated: true } });
});

test.for([
  ["more than the limit of the call", "seq 3000", 4000],
  ["nothing but line breaks, which JSON doubles", "yes '' | head -c 15000", 25_000],
] as const)("bash holds an output of %s once in its artifact", async ([, command, maxOutputChars]) => {
  await using store = await openStore({ path: ":memory:" });
  const executor = gate({ artifacts: store.artifacts, maxOutputChars });
  const result = await executor.execute("bash", { command: `${command}; echo the only end` }, context);
  const page =
    result.artifact &&
    (await store.artifacts.readText("local", result.artifact.id, { offset: 0, length: 1_000_000 }));
  expect((page?.text ?? result.text).split("the only end")).toHaveLength(2);
});

const naughty = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/corpora/strings/blns.json"), "utf8"),
) as string[];

test("bash gives every naughty string on as it is, quoted, as its whole command line's text", async () => {
  const executor = gate({ maxOutputChars: 1_000_000 });
  const quoted = naughty.map((text) => `'${text.replaceAll("'", "'\\''")}'`);
  const result = await executor.execute("bash", { command: `printf '%s\\0' ${quoted.join(" ")}` }, context);
  expect(result.text.split("\0").slice(0, -1)).toEqual(naughty);
});

test("bash takes every naughty string as its folder or its description, and runs in no folder that is not there", async () => {
  const executor = gate({
    rules: [
      { decision: "allow", effect: "run" },
      { decision: "allow", within: true },
    ],
  });
  for (const cwd of naughty) {
    const result = await executor.execute("bash", { command: "pwd", cwd, description: cwd }, context);
    if (result.success) expect(result.text.startsWith(folder)).toBe(true);
    else expect(result.code).toMatch(/^(PATH_|PROCESS_FOLDER|TOOL_PERMISSION|TOOL_VALIDATION)/);
  }
});

test("bash has no variables by which a program that only reads would do more, and none can be set", async () => {
  const owner = { scope: "local", agentId: "changer" };
  environment.set(owner, "KEPT", "x");
  for (const name of ["RIPGREP_CONFIG_PATH", "POSIXLY_CORRECT", "MAGIC"])
    expect(() => environment.set(owner, name, "x")).toThrow(/Cannot set the variable/);
  const command = 'echo "$RIPGREP_CONFIG_PATH|$POSIXLY_CORRECT|$MAGIC|$KEPT"';
  const result = await gate().execute("bash", { command }, { ...context, agentId: "changer" });
  expect(result.text).toBe("|||x");
});

const levels = await levelsHere();
const { level: confined, inSandbox } = await sandboxHere();

function confinedTools(level: SandboxLevel, options: SandboxOptions = {}) {
  const confined = new Processes({ sandbox: openSandbox(level, options) });
  const registry = new ToolRegistry();
  registry.registerMany(
    shellTools({ processes: confined, workspace, environment, connector: createConnector() }),
  );
  return { registry, close: () => confined.close() };
}

/** What a person would be asked about. */
async function foreseeEffects(registry: ToolRegistry, params: object): Promise<unknown> {
  let asked: unknown;
  const approver = {
    identity: "me",
    ask: (approval: { readonly effects: unknown }) => {
      asked = approval.effects;
      return Promise.resolve({ approved: false as const, by: "me" });
    },
  };
  const executor = new ToolExecutor(registry, { approver, rules: [{ decision: "ask" }] });
  const result = await executor.execute("bash", params, context);
  return asked ?? result;
}

test("bash says of each command that it is confined, and of each host", inSandbox, async () => {
  const { registry, close } = confinedTools(confined);
  const isolation = expect.stringContaining(`sandbox (${confined})`);
  expect(
    await foreseeEffects(registry, { command: "npm test", hosts: ["registry.npmjs.org", "b.test:8080"] }),
  ).toEqual([
    expect.objectContaining({ kind: "run", target: "npm test", within: false, confined: true, isolation }),
    { kind: "connect", target: "https://registry.npmjs.org", within: false },
    { kind: "connect", target: "https://b.test:8080", within: false },
    { kind: "read", target: folder, within: true },
  ]);
  await close();
});

const noHosts: readonly string[] = [
  "",
  "a b",
  "a.test\0.b.test",
  "a.test\r\nb",
  ..."http://a.test a.test/x me@a.test *.a.test a.test:0 a.test:99999".split(" "),
  ..."127.0.0.1 169.254.169.254 localhost [::1] 10.0.0.1".split(" "),
];

test.for(noHosts)("bash takes %j for no host to be reached, before anybody is asked", async (host) => {
  const { registry, close } = confinedTools("process-group");
  expect(await foreseeEffects(registry, { command: "true", hosts: [host] })).toMatchObject({
    success: false,
    code: expect.stringMatching(/^(CONNECT_URL|CONNECT_BLOCKED|TOOL_VALIDATION)$/),
  });
  await close();
});

test("bash always asks for a command outside the sandbox, whatever rules say of the command", async () => {
  const { registry, close } = confinedTools(levels[0] ?? "none");
  const executor = new ToolExecutor(registry, {
    rules: [
      { decision: "allow", within: true },
      { decision: "allow", effect: "run", target: "*" },
    ],
  });
  expect(await executor.execute("bash", { command: "echo a" }, context)).toMatchObject({ success: true });
  expect(await executor.execute("bash", { command: "echo a", unconfined: true }, context)).toMatchObject({
    code: "TOOL_PERMISSION",
  });
  const effects = await foreseeEffects(registry, { command: "echo a", unconfined: true });
  expect(effects).toEqual([
    expect.objectContaining({ target: "echo a", within: false }),
    expect.objectContaining({ target: "(outside the sandbox)", within: false, opaque: true }),
    { kind: "read", target: folder, within: true },
  ]);
  expect(JSON.stringify(effects)).not.toMatch(/confined|routine/);
  await close();
});

test("bash outside the sandbox runs with all rights, and says so", async () => {
  const { registry, close } = confinedTools(levels[0] ?? "none");
  const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
  const command = `touch ${join(outside, "made")} && cat ${join(outside, "made")}`;
  expect(await executor.execute("bash", { command, unconfined: true }, context)).toMatchObject({
    success: true,
    result: { exit_code: 0, sandbox: "outside" },
  });
  expect(existsSync(join(outside, "made"))).toBe(true);
  await close();
});

const asOther = needs("another user", levels.includes("other-user"));

test(
  "bash asks to run outside the sandbox where another user can't change the folder, and then it can be changed",
  asOther,
  async () => {
    const { registry, close } = confinedTools("other-user");
    const made = join(folder, "made-outside");
    const command = `echo x > ${made}`;
    expect(await foreseeEffects(registry, { command })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          target: "echo x",
          within: false,
          isolation: expect.stringContaining("all your rights"),
        }),
        expect.objectContaining({ kind: "write", target: made }),
        expect.objectContaining({ target: "(outside the sandbox)", within: false, opaque: true }),
        { kind: "read", target: folder, within: true },
      ]),
    );
    const allowing = new ToolExecutor(registry, { rules: [...outsideRules, { decision: "allow" }] });
    expect(await allowing.execute("bash", { command }, context)).toMatchObject({ code: "TOOL_PERMISSION" });
    const agreeing = { identity: "me", ask: () => Promise.resolve({ approved: true as const, by: "me" }) };
    const asking = new ToolExecutor(registry, { rules: outsideRules, approver: agreeing });
    expect(await asking.execute("bash", { command }, context)).toMatchObject({
      success: true,
      result: { exit_code: 0, sandbox: "outside" },
    });
    expect(existsSync(made)).toBe(true);
    await close();
  },
);

test(
  "bash runs as another user where everybody may change the folder, and what only reads wherever it is",
  asOther,
  async () => {
    const { registry, close } = confinedTools("other-user");
    const executor = new ToolExecutor(registry, { rules: [...outsideRules, { decision: "allow" }] });
    const open = mkdtempSync(join(tmpdir(), "haft-open-"));
    chmodSync(open, 0o777);
    const inside = { result: { exit_code: 0, sandbox: "other-user" } };
    const change = { command: "echo x > made; id -u", cwd: open };
    expect(await executor.execute("bash", change, { allowedPaths: [open] })).toMatchObject(inside);
    expect(statSync(join(open, "made")).uid).not.toBe(0);
    expect(await executor.execute("bash", { command: "echo a" }, context)).toMatchObject(inside);
    rmSync(open, { recursive: true });
    await close();
  },
);

test("bash refuses to run, and asks nobody, where commands can't be kept in as is asked for", async () => {
  const { registry, close } = confinedTools("process-group", { atLeast: "bubblewrap" });
  expect(await foreseeEffects(registry, { command: "true" })).toMatchObject({
    success: false,
    code: "SANDBOX_REFUSED",
    error: expect.stringMatching(/bubblewrap.*sandbox: \{ atLeast: process-group \}/s),
  });
  await close();
});

test("bash says what the sandbox was in the way of", inSandbox, async () => {
  const { registry, close } = confinedTools(confined);
  const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
  const runText = async (command: string) => (await executor.execute("bash", { command }, context)).text;
  expect(await runText("exec 3<>/dev/tcp/192.0.2.1/80")).toContain("name those it needs in `hosts`");
  expect(await runText("touch /usr/made")).toContain("only the working folders can be written");
  const flood = await executor.execute("bash", { command: "yes | head -c 20000000" }, context);
  expect(flood.text.slice(-200)).toMatch(
    /\n\[stdout: 16 MB of 20 MB were left out of its middle and kept nowhere.*\]$/,
  );
  const late = async (word: string) => {
    const deadline = new HeldDeadline(500);
    const hurried = new ToolExecutor(registry, { rules: [{ decision: "allow" }], clock: deadline.clock });
    const onUpdate = deadline.onceSaid(`${word}\n`);
    const command = `echo ${word}; sleep 60`;
    return (await hurried.execute("bash", { command, timeout: 500 }, { ...context, onUpdate })).text;
  };
  expect(await late("network")).toMatch(/\[TOOL_TIMEOUT\]\nOutput until then:\nnetwork\n[^]*`hosts`/);
  expect(await late("nothing")).not.toContain("`hosts`");
  expect(await runText("echo 'read-only file system' >&2")).not.toContain("working folders");
  await close();
});
