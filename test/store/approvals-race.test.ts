import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import type { ApprovalAnswer, CallContext, ToolExecutor, ToolResult } from "../../src/kernel/index.ts";
import { openGate, sideEffects } from "../support/approval-gate.ts";

const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };
const no: ApprovalAnswer = { approved: false, by: "owner:bob" };

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-race-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "haft.db");
}

/** Two gates over one file, as two processes have them, and how often each number was acted on. */
async function openWorld() {
  const path = newPath();
  const counts = new Map<number, number>();
  const ran = (n: number) => void counts.set(n, (counts.get(n) ?? 0) + 1);
  const stores = [await openStore({ path }), await openStore({ path })] as const;
  const gates = [openGate(stores[0], { ran }), openGate(stores[1], { ran })] as const;
  const close = async () => {
    for (const store of stores) await store.close();
  };
  return { path, counts, ran, stores, gates, close };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Makes the call, which is refused for want of an answer, and gives the id of its question. */
async function ask(gate: ToolExecutor, n: number): Promise<string> {
  const result = await gate.execute("act", { n });
  if (result.success) throw new Error("it ran unasked");
  return String(result.details?.["approval"]);
}

async function catchCode(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => "taken",
    (error: { code?: string }) => error.code,
  );
}

function byText(one: unknown, other: unknown): number {
  return String(one).localeCompare(String(other));
}

function callAgain(gate: ToolExecutor, n: number, params: object = {}): Promise<ToolResult> {
  return gate.execute("act", { n, ...params });
}

interface Story {
  readonly name: string;
  /** Resolves with how often the call may have run, and has to. */
  readonly run: (world: World, n: number) => Promise<number>;
}

/** What can go wrong between a question and its call. */
const stories: readonly Story[] = [
  {
    name: "a yes, and the call made again",
    async run({ gates: [here], stores: [store] }, n) {
      await store.approvals.answer(await ask(here, n), yes);
      expect((await callAgain(here, n)).success).toBe(true);
      return 1;
    },
  },
  {
    name: "the same answer many times",
    async run({ gates: [here], stores }, n) {
      const id = await ask(here, n);
      const codes = await Promise.all(
        [0, 1, 0, 1].map((at) => catchCode((stores[at] as Store).approvals.answer(id, yes))),
      );
      expect(codes.toSorted(byText)).toEqual([...Array<string>(3).fill("APPROVAL_ANSWERED"), "taken"]);
      await callAgain(here, n);
      return 1;
    },
  },
  {
    name: "an answer that comes too late",
    async run({ ran, stores: [store] }, n) {
      const hasty = openGate(store, { ran, approvalLifeMs: 1 });
      const id = await ask(hasty, n);
      await expect.poll(async () => (await store.approvals.get(id))?.state).toBe("expired");
      expect(await catchCode(store.approvals.answer(id, yes))).toBe("APPROVAL_EXPIRED");
      expect((await callAgain(hasty, n)).success).toBe(false);
      return 0;
    },
  },
  {
    name: "a yes that nobody used in time",
    async run({ ran, stores: [store] }, n) {
      const hasty = openGate(store, { ran, approvalLifeMs: 100 });
      const id = await ask(hasty, n);
      const code = await catchCode(store.approvals.answer(id, yes));
      await expect.poll(async () => (await store.approvals.get(id))?.state).toBe("expired");
      expect(["taken", "APPROVAL_EXPIRED"]).toContain(code);
      expect((await callAgain(hasty, n)).success).toBe(false);
      return 0;
    },
  },
  {
    name: "an answer of the wrong person",
    async run({ gates: [here], stores: [store] }, n) {
      const id = await ask(here, n);
      for (const by of ["mcp:mallory", "owner", "owner:a/b", "telegram:4711"])
        expect(await catchCode(store.approvals.answer(id, { approved: true, by }))).toBe(
          "APPROVAL_NOT_YOURS",
        );
      expect((await callAgain(here, n)).success).toBe(false);
      return 0;
    },
  },
  {
    name: "a yes, and a call with another argument, caller, scope, folder or version of the tool",
    async run({ gates: [here], ran, stores: [store] }, n) {
      await store.approvals.answer(await ask(here, n), yes);
      const contexts: CallContext[] = [
        { agentId: "other" },
        { userId: "bob" },
        { origin: { channel: "mcp", session: "s_2" } },
        { origin: { channel: "mcp", principal: "mcp:bob" } },
        { scope: `local/${n}` },
        { allowedPaths: ["/elsewhere"] },
      ];
      const others = [
        callAgain(here, n, { how: "differently" }),
        callAgain(openGate(store, { ran, version: "2" }), n),
        ...contexts.map((context) => here.execute("act", { n }, context)),
      ];
      for (const result of await Promise.all(others)) expect(result.success).toBe(false);
      return 0;
    },
  },
  {
    name: "a yes that is played again",
    async run({ gates, stores: [store] }, n) {
      const id = await ask(gates[0], n);
      await store.approvals.answer(id, yes);
      for (let again = 0; again < 4; again++) await callAgain(gates[again % 2] as ToolExecutor, n);
      expect(await catchCode(store.approvals.answer(id, yes))).toBe("APPROVAL_ANSWERED");
      expect(await store.approvals.claim(id, "c_replay")).toBe(false);
      return 1;
    },
  },
  {
    name: "a restart between the question and the answer, and one before the call",
    async run({ path, ran, gates: [here] }, n) {
      const id = await ask(here, n);
      {
        await using second = await openStore({ path });
        await second.approvals.answer(id, yes);
      }
      await using third = await openStore({ path });
      expect((await callAgain(openGate(third, { ran }), n)).success).toBe(true);
      return 1;
    },
  },
  {
    name: "a yes and a no at once, in two processes",
    async run({ gates, stores: [one, two] }, n) {
      const id = await ask(gates[0], n);
      const codes = await Promise.all([
        catchCode(one.approvals.answer(id, yes)),
        catchCode(two.approvals.answer(id, no)),
      ]);
      expect(codes.filter((code) => code === "taken")).toHaveLength(1);
      await Promise.all([callAgain(gates[0], n), callAgain(gates[1], n)]);
      return codes[0] === "taken" ? 1 : 0;
    },
  },
  {
    name: "the call made many times at once, in two processes",
    async run({ gates, stores: [store] }, n) {
      await store.approvals.answer(await ask(gates[0], n), yes);
      const results = await Promise.all([0, 1, 0, 1].map((at) => callAgain(gates[at] as ToolExecutor, n)));
      expect(results.filter(({ success }) => success)).toHaveLength(1);
      return 1;
    },
  },
  {
    name: "a no",
    async run({ gates: [here], stores: [store] }, n) {
      await store.approvals.answer(await ask(here, n), no);
      expect((await callAgain(here, n)).success).toBe(false);
      return 0;
    },
  },
];

/** As many questions in all as the proposal for this gate asks for. */
const rounds = 91;

test.each(stories)(
  `a call runs exactly as often as it was allowed: $name, ${rounds} times`,
  async ({ run }) => {
    const world = await openWorld();
    const wanted = new Map<number, number>();
    const numbers = Array.from({ length: rounds }, (_, n) => n);
    // Ten at a time: stories of one kind are in each other's way too.
    for (let at = 0; at < rounds; at += 10) {
      await Promise.all(numbers.slice(at, at + 10).map(async (n) => void wanted.set(n, await run(world, n))));
    }
    const counted = new Map(numbers.map((n) => [n, world.counts.get(n) ?? 0]));
    expect(counted).toEqual(wanted);
    await world.close();
  },
);

test("the stories are a thousand questions", () => {
  expect(stories.length * rounds).toBeGreaterThanOrEqual(1000);
});

test("a call that waits takes the answer of another process, and runs once", async () => {
  const { counts, ran, stores, close } = await openWorld();
  const [here, there] = stores;
  const gate = openGate(here, {
    ran,
    approver: {
      identity: "owner:silent",
      async ask({ id }) {
        await there.approvals.answer(id, yes);
        return new Promise<never>(() => {});
      },
    },
  });
  expect((await gate.execute("act", { n: 1 })).success).toBe(true);
  expect(counts).toEqual(new Map([[1, 1]]));
  await close();
});

const fixture = join(inject("built"), "test/fixtures/store/gated-call.js");

/** A process of its own; resolves with what it said. */
async function inProcess(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, ...args]);
  return JSON.parse(stdout);
}

function runsIn(path: string): string {
  return existsSync(sideEffects(path)) ? readFileSync(sideEffects(path), "utf8") : "";
}

test("of processes that answer at once one is heard, and of those that call at once one runs", async () => {
  const path = newPath();
  const id = String(await inProcess(path, "call", "7"));
  expect(id).toMatch(/^a_/);
  const people = ["owner:ada", "owner:bob", "owner:eve"];
  const answers = await Promise.all(people.map((who) => inProcess(path, "answer", id, who)));
  expect(answers.toSorted(byText)).toEqual(["APPROVAL_ANSWERED", "APPROVAL_ANSWERED", "taken"]);
  const calls = await Promise.all(people.map(() => inProcess(path, "call", "7")));
  expect(calls.filter((outcome) => outcome === "ran")).toHaveLength(1);
  expect(runsIn(path)).toBe("7\n");
});

test("a process that is killed while it waits loses neither the question nor the answer", async () => {
  const path = newPath();
  const child = spawn(process.execPath, [fixture, path, "wait", "8"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  child.kill("SIGKILL");
  await once(child, "close");
  expect(await inProcess(path, "answer", String(JSON.parse(line)), "owner:ada")).toBe("taken");
  expect(runsIn(path)).toBe("");
  expect(await inProcess(path, "call", "8")).toBe("ran");
  expect(await inProcess(path, "call", "8")).toMatch(/^a_/);
  expect(runsIn(path)).toBe("8\n");
});
