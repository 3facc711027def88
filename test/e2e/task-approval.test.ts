import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { Place } from "./cli-process.ts";
import { hasTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const scope = "local";

/** Two tasks: one that a person has to approve, which was stopped, and one that waits for it. */
async function makeGuarded(place: Place) {
  mkdirSync(place.home, { recursive: true });
  // The rules allow every tool: what a person has to approve is asked about all the same.
  const config = 'permissions: [{ decision: allow, tool: "*" }]\ntools: { search: { embedder: none } }\n';
  writeFileSync(join(place.home, "config.yml"), config);
  return withStore(place, async ({ tasks }) => {
    const { id } = await tasks.create({ scope, projectId: "app", title: "Release", requiresApproval: true });
    const after = await tasks.create({ scope, projectId: "app", title: "Tell", dependsOn: [id] });
    await tasks.claim({ scope, id, agentId: "painter", leaseMs: 60_000 });
    await tasks.apply(scope, id, "ADMIN_STOP");
    return { id, after: after.id };
  });
}

async function withStore<T>(place: Place, act: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore({ path: join(place.home, "haft.db") });
  return await act(store);
}

function readStates(place: Place, ids: readonly string[]): Promise<readonly string[]> {
  return withStore(place, ({ tasks }) =>
    Promise.all(ids.map(async (id) => (await tasks.require(scope, id)).state)),
  );
}

test("an agent's shell gets no task past the person who has to approve it, by no command and no tool", async () => {
  const place = new Place();
  const { id, after } = await makeGuarded(place);
  const call = (tool: string, params: object) => ["call", "--profile", "queue", tool, JSON.stringify(params)];
  const ways = [
    ["tasks", "skip", id],
    ["tasks", "approve", id],
    ["tasks", "retry", after],
    call("skip_task", { task_id: id }),
    call("edit_task", { task_id: id, status: "COMPLETED" }),
    call("restart_task", { task_id: after }),
    call("remove_dependency", { task_id: after, depends_on: id }),
    call("delete_task", { task_id: id, force: true }),
  ];
  for (const way of ways)
    for (const yes of [[], ["--yes"]]) {
      const { exitCode, stdout, stderr } = await place.run([...way, ...yes], "", { CLAUDECODE: "1" });
      expect({ way, yes, exitCode, said: stdout + stderr }).toMatchObject({ exitCode: 4 });
    }
  // Without a trace of an agent, too, there is no terminal to answer at.
  for (const way of ways.slice(3)) expect((await place.run(way)).exitCode).toBe(4);
  expect(await readStates(place, [id, after])).toEqual(["BLOCKED", "DEFINED"]);
});

test.skipIf(!hasTerminal)(
  "a person skips a task that they have to approve, by a yes at their terminal",
  async () => {
    const place = new Place();
    const { id, after } = await makeGuarded(place);
    const terminal = new PseudoTerminal(place, ["tasks", "skip", id]);
    await terminal.shows("Allow it?");
    terminal.type("y");
    expect((await terminal.ended).exitCode).toBe(0);
    expect(await readStates(place, [id, after])).toEqual(["COMPLETED", "READY"]);
  },
);
