import { rmSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { runCommand } from "../../../../test/support/command-line.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { OwnerPin } from "../../../app/index.ts";
import { openStore, type Store } from "../../../app/store/index.ts";
import type { NewTask, NewTaskResult } from "../../../modules/tasks/index.ts";
import { exitCodes } from "../../exit-codes.ts";
import { displayWidth } from "../../text/display-width.ts";

const scope = "local";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let installation: Installation;
let haft: (...args: string[]) => Promise<Ran>;
let haftWith: (given: { input?: string; columns?: number }, ...args: string[]) => Promise<Ran>;
let json: (...args: string[]) => Promise<unknown>;

beforeEach(() => {
  installation = new Installation();
  installation.home.write("config.yml", "tools: { search: { embedder: none } }\n");
  haftWith = async (given, ...args) => {
    const ran = await runCommand(["tasks", ...args], { ...given, place: installation });
    return { code: ran.exitCode, out: ran.stdout, err: ran.stderr };
  };
  haft = (...args) => haftWith({}, ...args);
  json = async (...args) => {
    const { code, out } = await haft(...args, "--json");
    expect({ args, code }).toEqual({ args, code: exitCodes.ok });
    return JSON.parse(out);
  };
});

async function withStore<T>(act: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore({ path: installation.home.database });
  return await act(store);
}

async function create(title: string, more: Partial<NewTask> = {}): Promise<string> {
  return withStore(async ({ tasks }) => (await tasks.create({ scope, projectId: "app", title, ...more })).id);
}

/** Has a task done by hand, as any MCP client would. */
async function end(id: string, result: NewTaskResult & { readonly outcome: "completed" | "failed" }) {
  await withStore(async ({ tasks }) => {
    const claimed = await tasks.claim({ scope, id, agentId: "painter", leaseMs: 60_000 });
    await tasks.end({ scope, id, lease: claimed?.lease ?? "", result });
  });
}

async function happenings(id: string) {
  return withStore(({ tasks }) => tasks.happenings({ scope, taskId: id, limit: 20 }));
}

test("haft tasks says how to make the first task", async () => {
  const { code, out, err } = await haft();
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toContain('`haft tasks add "…"` makes one');
  expect(await json()).toEqual({ tasks: [], total: 0, hiddenCompleted: 0 });
});

test("haft tasks says who waits for whom, and leaves out what is done", async () => {
  const parser = await create("Fix the parser");
  const tests = await create("Write the tests", { dependsOn: [parser] });
  const other = await create("Draw a logo", { projectId: "web" });
  const { out, err } = await haft();
  expect(out).toMatch(new RegExp(`${tests} +waits for ${parser} since \\d+ s +app +Write the tests\n`));
  expect(out).toMatch(new RegExp(`${parser} +ready since \\d+ s`));
  expect(err).toBe("`haft tasks show ID` says more of one\n");
  expect((await haft("--project", "web")).out).not.toContain(parser);
  expect((await haft("list", "--state", "defined")).out.trimEnd().split("\n")).toHaveLength(2);
  await end(other, { outcome: "completed" });
  const open = await haft();
  expect(open.out).not.toContain(other);
  expect(open.err).toContain("--all lists one that is done");
  expect((await haft("--all")).out).toMatch(new RegExp(`${other} +done \\d+ s ago`));
  expect(await json("list", "--limit", "1")).toMatchObject({
    tasks: [{ id: parser, state: "READY", waits: [{ for: "worker" }], blocks: [tests] }],
    total: 2,
    hiddenCompleted: 1,
    next: expect.any(String) as string,
  });
});

test.for([80, 60])("haft tasks fits a terminal of %i columns", async (columns) => {
  const title = "a very long title that somebody gave without a thought ".repeat(3);
  const project = "a-project-with-a-very-long-name";
  const first = await create(title, { projectId: project });
  const second = await create(title, { projectId: project, dependsOn: [first], parentId: first });
  await create(title, { projectId: project, dependsOn: [first, second] });
  await end(await create(title, { maxRetries: 0 }), { outcome: "failed", error: title });
  for (const args of [[], ["tree"], ["show", second]]) {
    const { out } = await haftWith({ columns }, ...args);
    expect(out.split("\n").filter((line) => displayWidth(line) > columns)).toEqual([]);
    expect(out).toContain(second);
  }
});

test("haft tasks names the nearest command, and the nearest task", async () => {
  expect(await haft("lst")).toMatchObject({ code: exitCodes.usage });
  expect((await haft("lst")).err).toContain("did you mean list");
  const id = await create("Fix the parser");
  const unknown = await haft("show", `${id}x`);
  expect(unknown.code).toBe(exitCodes.notFound);
  expect(unknown.err).toContain(id);
  expect((await haft("--state", "asleep")).err).toContain("Allowed choices are defined, ready");
});

test("haft tasks tree puts subtasks below the task that they are a part of", async () => {
  const whole = await create("Whole");
  const part = await create("Part", { parentId: whole });
  const small = await create("Small", { parentId: part });
  const lines = (await haft("tree")).out.split("\n");
  expect(lines.slice(1, 4).map((line) => /^ *\S+/.exec(line)?.[0])).toEqual([
    whole,
    `  ${part}`,
    `    ${small}`,
  ]);
  expect((await haft("tree", part)).out).not.toContain(whole);
  expect(await json("tree", whole, "--depth", "1")).toMatchObject({
    trees: [{ id: whole, children: [{ id: part, children: [] }] }],
  });
});

test("haft tasks show says all of one task, and what a person can do about it", async () => {
  const parser = await create("Fix the parser", {
    description: "Long lines break it.",
    maxRetries: 0,
    notes: [{ kind: "feedback", text: "Mind the names" }],
    trust: "untrusted",
  });
  const tests = await create("Write the tests", { dependsOn: [parser] });
  await end(parser, {
    outcome: "failed",
    summary: "Tried it.",
    error: "no parser there",
    filesChanged: ["a.ts"],
  });
  const { out } = await haft("show", parser);
  expect(out).toMatch(/failed \d+ s ago \(no parser there\)/);
  for (const text of [
    `→ \`haft tasks retry ${parser}\``,
    `→ \`haft tasks skip ${parser}\``,
    "Long lines break it.",
    "Mind the names",
    "Tried it.",
    "changed a.ts",
    "comes from outside",
    "attempt 1: failed, from outside",
    "agent failed by painter: failed",
  ])
    expect(out).toContain(text);
  expect(out).toMatch(new RegExp(`waiting for it +${tests} \\(waits for others\\)`));
  expect(await json("show", parser)).toMatchObject({
    id: parser,
    why: "no parser there",
    notes: [{ text: "Mind the names" }],
    results: [{ outcome: "failed" }],
    history: [
      { event: "CREATED" },
      { event: "ASSIGNED" },
      { event: "AGENT_STARTED" },
      { event: "AGENT_FAILED" },
    ],
    subtasks: [],
  });
});

test("haft tasks shows control characters of a title at a terminal, and does not obey them", async () => {
  const id = await create("Clear\u001b[2J the screen");
  for (const args of [[], ["show", id]]) {
    const { out } = await haftWith({ columns: 100 }, ...args);
    expect(out).not.toContain("\u001b[2J");
    expect(out).toContain("[2J the screen");
  }
});

test("haft tasks replay shows what was said in a task's session, a page at a time", async () => {
  const id = await create("Fix the parser");
  await withStore(async ({ tasks, sessions, runs }) => {
    const session = await sessions.open({ scope, agentId: "main", channel: "task" });
    const run = await runs.begin({ scope, kind: "task", sessionId: session.id });
    await tasks.apply(scope, id, "ASSIGNED", { agentId: "main", runId: run.id, sessionId: session.id });
    const claimed = await runs.claim(scope, run.id, 60_000);
    if (claimed === undefined) throw new Error("nobody else has it");
    await runs.write(claimed, {
      entries: [
        { kind: "user", sender: "haft", parts: [{ type: "text", text: "Fix it" }] },
        { kind: "result", callId: "c_1", name: "bash", text: "2 tests failed", failed: true },
        { kind: "note", about: "hint", text: "the last one" },
      ],
    });
  });
  const first = await haft("replay", id, "--limit", "2");
  expect(first.out).toBe("\nhaft: Fix it\n  ✗ bash: 2 tests failed\n");
  expect(first.err).toContain(`haft tasks replay ${id} --from 3`);
  expect((await haft("replay", id, "--from", "3")).out).toBe("  (the last one)\n");
  expect(await json("replay", id, "--limit", "1")).toMatchObject({
    taskId: id,
    entries: [{ kind: "user" }],
    next: 2,
  });
  const sessionId = await withStore(async ({ tasks }) => {
    const before = (await tasks.require(scope, id)).sessionId;
    await tasks.apply(scope, id, "ADMIN_STOP", { result: { outcome: "stopped" } });
    await tasks.apply(scope, id, "ADMIN_RESTART", {});
    await tasks.claim({ scope, id, agentId: "by hand", leaseMs: 60_000 });
    expect((await tasks.require(scope, id)).sessionId).toBeUndefined();
    return before;
  });
  expect(await json("replay", id, "--limit", "1")).toMatchObject({ sessionId, next: 2 });
  const byHand = await haft("replay", await create("By hand"));
  expect(byHand).toMatchObject({ code: exitCodes.notFound, out: "" });
  expect(byHand.err).toContain("no agent of haft worked on it");
});

test("haft tasks add makes a task by the gate, in the ledger, by the name of the person", async () => {
  const first = await haft("add", "Fix the parser", "--project", "app", "--priority", "7", "--approval");
  expect(first).toMatchObject({ code: exitCodes.ok });
  const id = first.out.trim();
  expect(first.err).toContain("in the project app");
  const piped = await haftWith(
    { input: "Write the tests\nAll of them.\n" },
    "add",
    "--depends-on",
    id,
    "--part-of",
    id,
  );
  expect(piped.err).toMatch(new RegExp(`waits for ${id} since`));
  expect(await json("show", piped.out.trim())).toMatchObject({
    title: "Write the tests",
    description: "Write the tests\nAll of them.",
    parentId: id,
    dependsOn: [id],
  });
  expect(await json("show", id)).toMatchObject({ priority: 7, requiresApproval: true, projectId: "app" });
  await withStore(async ({ ledger }) => {
    const calls = await ledger.list({});
    expect(calls.map(({ toolName, state, channel }) => [toolName, state, channel])).toEqual([
      ["create_task", "completed", "cli"],
      ["create_task", "completed", "cli"],
    ]);
    expect(calls[0]?.userId).toMatch(/^owner:/);
  });
  const unknown = await haft("add", "Release", "--depends-on", "no-such");
  expect(unknown).toMatchObject({ code: exitCodes.notFound, out: "" });
  expect(await haft("add")).toMatchObject({ code: exitCodes.usage });
});

test("a rule of the owner holds for haft tasks, too", async () => {
  installation.home.write(
    "config.yml",
    "tools: { search: { embedder: none } }\npermissions: [{ decision: deny, tool: skip_task, reason: not at night }]\n",
  );
  const id = await create("Fix the parser", { maxRetries: 0 });
  await end(id, { outcome: "failed" });
  const refused = await haft("skip", id, "--yes");
  expect(refused).toMatchObject({ code: exitCodes.refused, out: "" });
  expect(refused.err).toContain("not at night");
  expect(await json("show", id)).toMatchObject({ state: "FAILED" });
});

test("haft tasks stop, retry, skip, archive and restore do what they say, and name who is free then", async () => {
  const parser = await create("Fix the parser", { maxRetries: 0 });
  const tests = await create("Write the tests", { dependsOn: [parser] });
  await withStore(({ tasks }) => tasks.claim({ scope, id: parser, agentId: "painter", leaseMs: 60_000 }));
  expect((await haft("stop", parser)).out).toBe(
    `${parser} is stopped; \`haft tasks retry ${parser}\` does it once more\n`,
  );
  expect((await haft("retry", parser, "Keep", "the", "names")).out).toBe(
    `${parser} is to be done once more: ready\n`,
  );
  expect(await json("show", parser)).toMatchObject({
    state: "READY",
    notes: [{ kind: "feedback", text: "Keep the names" }],
  });
  await end(parser, { outcome: "failed" });
  expect((await haft("skip", parser)).out).toBe(`${parser} is skipped\n${tests} is ready now\n`);
  expect(await json("show", parser)).toMatchObject({ isSkipped: true });
  expect((await haft("archive", parser)).out).toContain(`${parser} is archived`);
  expect((await haft("--all")).out).not.toContain("Fix the parser");
  expect((await haft("list", "--archived")).out).toContain("skipped, archived");
  expect(await json("restore", parser)).toMatchObject({ id: parser, state: "READY" });
  const wrong = await haft("stop", parser);
  expect(wrong).toMatchObject({ code: exitCodes.failed, out: "" });
  expect(wrong.err).toContain("is not in progress (status: READY)");
  expect(wrong.err).toContain("[QUEUE_TASK_STATE]");
  const by = (await happenings(parser)).map((one) => one.by).filter((one) => one !== "painter");
  expect(by.filter((one) => one?.startsWith("owner:")).length).toBeGreaterThan(4);
});

test("haft tasks approve needs a yes, and lets those begin that wait for it", async () => {
  const parser = await create("Fix the parser", { requiresApproval: true });
  const tests = await create("Write the tests", { dependsOn: [parser] });
  const early = await haft("approve", parser, "--yes");
  expect(early.err).toContain("is not awaiting approval (status: READY)");
  await end(parser, { outcome: "completed" });
  expect((await haft()).out).toContain("waits for your approval since");
  const refused = await haft("approve", parser);
  expect(refused).toMatchObject({ code: exitCodes.refused, out: "" });
  expect(refused.err).toContain("each call confirmed");
  const pin = new OwnerPin(installation.home);
  await pin.set("314159");
  const withoutPin = await haft("approve", parser, "--yes");
  expect(withoutPin).toMatchObject({ code: exitCodes.refused, out: "" });
  expect(withoutPin.err).toContain("the owner's PIN is needed");
  rmSync(pin.file);
  expect((await haft("approve", parser, "--yes")).out).toBe(
    `${parser} is approved: done\n${tests} is ready now\n`,
  );
  expect((await happenings(parser))[0]?.by).toMatch(/^owner:/);
});

test("haft tasks tree says how to make the first task, and resume what a task that none has taken waits for", async () => {
  const none = await haft("tree");
  expect(none).toMatchObject({ code: exitCodes.ok, out: "" });
  expect(none.err).toContain('There are no tasks: `haft tasks add "…"` makes one');
  const id = await create("By hand");
  expect((await haft("tree", "--state", "blocked")).err).toBe("No task is like that\n");
  const { err } = await haft("resume", id);
  expect(err).toContain(`nobody has taken it yet; \`haft tasks show ${id}\` says what it waits for`);
  await end(id, { outcome: "completed", summary: "Done" });
  expect((await haft("tree")).err).toBe("No task is open; --all lists one that is done\n");
  expect((await haft("resume", id)).err).toContain(`\`haft tasks retry ${id}\` makes it ready to be taken`);
});

test("haft tasks add names the nearest of a task that is not there", async () => {
  const id = await create("Fix the parser");
  const near = `${id}s`;
  for (const option of ["--depends-on", "--part-of"]) {
    const { code, out, err } = await haft("add", "Write the tests", option, near);
    expect([code, out]).toEqual([exitCodes.notFound, ""]);
    expect(err).toContain(`Cannot find a task "${near}"; did you mean ${id}`);
  }
});

test("haft tasks resume refuses what no run works on, or whose run has ended, and says what to do", async () => {
  const byHand = await haft("resume", await create("By hand"));
  expect(byHand.code).toBe(exitCodes.usage);
  expect(byHand.err).toContain("nobody has taken it yet");
  const id = await create("Fix the parser");
  const runId = await withStore(async ({ tasks, sessions, runs }) => {
    const session = await sessions.open({ scope, agentId: "main", channel: "task" });
    const run = await runs.begin({ scope, kind: "task", sessionId: session.id });
    await tasks.apply(scope, id, "ASSIGNED", { agentId: "main", runId: run.id, sessionId: session.id });
    return run.id;
  });
  await withStore(async ({ runs }) => runs.stop(scope, runId, "stopped"));
  const ended = await haft("resume", id);
  expect(ended.code).toBe(exitCodes.usage);
  expect(ended.err).toContain("its run has ended");
});
