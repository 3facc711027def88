import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWork } from "../../src/app/agent/describe-work.ts";
import type { Entry } from "../../src/modules/sessions/index.ts";
import { TaskWorld } from "../support/task-world.ts";

const call = (name: string, input: object) => ({ calls: [{ name, input }] });

/** A conversation that reads two files, changes one and makes another, each in a step of its own. */
async function work(): Promise<{ readonly world: TaskWorld; readonly sessionId: string }> {
  const world = new TaskWorld();
  writeFileSync(join(world.folder, "plan.md"), "The plan.\n");
  writeFileSync(join(world.folder, "notes.md"), "A note.\n");
  const steps = [
    call("read", { path: "plan.md" }),
    call("read", { path: "missing.md" }),
    call("read", { path: "notes.md" }),
    call("write", { path: "page.md", content: "A page." }),
    call("edit", { path: "plan.md", old_string: "The plan.", new_string: "The new plan." }),
  ];
  await world.script(
    ({ answers, text }) =>
      steps[answers] ?? {
        text: text.includes("Be brief") ? "Done." : `Done. ${"All of this is known. ".repeat(3_000)}`,
      },
    {},
    "permissions: [{ decision: allow, tool: write }, { decision: allow, tool: edit }]\n",
  );
  const { run } = await world.turn(`Work. ${"All of this is to be known. ".repeat(3_000)}`);
  return { world, sessionId: run.sessionId };
}

/** The lines of a summary that say what files the conversation worked with. */
async function readFiles(world: TaskWorld, sessionId: string): Promise<readonly string[]> {
  const app = await world.app();
  await (await app.agent()).compact(sessionId);
  const [entry] = (await (await app.store()).sessions.shown("local", sessionId)) as readonly Entry[];
  const text = entry?.kind === "summary" ? entry.text : "";
  return text.split("\n").filter((line) => line.startsWith("- Files"));
}

const changedFiles = "- Files changed, the newest first: plan.md, page.md";

test("a summary says which files were read and changed, by what the store has, also the second one", async () => {
  const { world, sessionId } = await work();
  const read = "- Files and folders read, the newest first: notes.md, plan.md";
  expect(await readFiles(world, sessionId)).toEqual([read, changedFiles]);
  await world.turn(`And on. ${"This is new. ".repeat(4_000)}`, { sessionId });
  expect(await readFiles(world, sessionId)).toEqual([read, changedFiles]);
});

test("a summary names no file whose change was undone", async () => {
  const { world, sessionId } = await work();
  const { changes } = await (await world.app()).store();
  const [newest] = await changes.list("local", { limit: 1 });
  await changes.markUndone("local", newest?.callId ?? "");
  expect(await readFiles(world, sessionId)).toContain("- Files changed, the newest first: page.md");
});

test("a summary names what a call changed at its third attempt, also by its inner calls", async () => {
  const { world, sessionId } = await work();
  const { changes, runs } = await (await world.app()).store();
  const [run] = await runs.list({ scope: "local", sessionId });
  const callId = `${run?.id}.4.1~3`;
  const record = (name: string, own: { readonly callId: string; readonly outerCallId?: string }) =>
    changes.record({
      ...own,
      scope: "local",
      path: join(world.folder, name),
      before: null,
      afterHash: "1".repeat(64),
    });
  await record("third.md", { callId });
  await record("inner.md", { callId: "c_inner", outerCallId: callId });
  expect(await readFiles(world, sessionId)).toContain(
    "- Files changed, the newest first: third.md, inner.md, plan.md, page.md",
  );
});

test("a summary with facts about what it keeps is as untrusted as that", async () => {
  const { world, sessionId } = await work();
  await world.turn("Be brief.", { sessionId, trust: "untrusted" });
  expect(await readFiles(world, sessionId)).toContain(changedFiles);
  const { sessions } = await (await world.app()).store();
  const [summary, ...kept] = await sessions.shown("local", sessionId);
  const from = summary?.kind === "summary" ? summary.keptFrom : 0;
  const summed = (await sessions.entries("local", sessionId)).filter(({ seq }) => seq < from);
  expect(summed.map(({ trust }) => trust)).not.toContain("untrusted");
  expect(kept.map(({ trust }) => trust)).toContain("untrusted");
  expect(summary?.trust).toBe("untrusted");
});

test("describeWork() names the questions that wait, and only those of its own conversation", async () => {
  const { world, sessionId } = await work();
  const app = await world.app();
  const store = await app.store();
  const [run] = await store.runs.list({ scope: "local", sessionId });
  if (run === undefined) throw new Error("there is no run");
  const ask = (id: string, callId: string) => ({ id, callId, toolName: "write" });
  const open = [ask("a_1", `${run.id}.4.1`), ask("a_2", "run_other.4.1"), ask("a_3", `${run.id}.5.1~2`)];
  const facts = await describeWork(
    {
      store: { ...store, approvals: { ...store.approvals, list: async () => open as never } },
      executor: app.executor,
      registry: app.registry,
      facts: { dialect: "openai" },
      context: app.context,
      folder: world.folder,
    },
    run,
  );
  expect(facts.filter((fact) => fact.includes("question"))).toEqual([
    "The question a_1, whether write may be called, waits for an answer.",
    "The question a_3, whether write may be called, waits for an answer.",
  ]);
});
