import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { Place, program } from "./cli-process.ts";

const taskCount = 100;
/** Tasks that a claimant ends before it is killed. */
const endedBefore = 6;

interface Claim {
  readonly claimed: string | null;
  readonly lease: string;
}

/** A client of the official SDK in front of a process of its own. */
async function startClaimant(place: Place, name: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "--expose", "all"],
    cwd: place.folder,
    env: { HAFT_HOME: place.home, PATH: process.env["PATH"] ?? "" },
    stderr: "ignore",
  });
  const client = new Client({ name, version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async <Result>(tool: string, args: object = {}): Promise<Result> => {
    const { isError, content, structuredContent } = await client.callTool({
      name: tool,
      arguments: { ...args },
    });
    if (isError === true) throw new Error(JSON.stringify(content));
    return structuredContent as Result;
  };
  const claim = () => call<Claim>("claim_task");
  const complete = ({ claimed, lease }: Claim) =>
    call("complete_task", { task_id: claimed, lease, summary: `done by ${name}` });
  /** Works the queue until it is empty, or so many tasks are done. */
  const work = async (most = Number.POSITIVE_INFINITY) => {
    for (let done = 0; done < most; done++) {
      const claimed = await claim();
      if (claimed.claimed === null) return;
      await complete(claimed);
    }
  };
  const kill = () => {
    if (transport.pid === null) throw new Error("the process has no id");
    process.kill(transport.pid, "SIGKILL");
  };
  return { call, claim, complete, work, kill };
}

function configure(place: Place): void {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "config.yml"), "tools: { profile: queue, search: { embedder: none } }");
}

/** Opens the store as it is seen an hour from now, and closes it. */
async function lookLater<Seen>(place: Place, look: (tasks: Store["tasks"]) => Promise<Seen>): Promise<Seen> {
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  await using store = await openStore({ path: join(place.home, "haft.db"), clock });
  return await look(store.tasks);
}

test("four claimants at once work a queue of 100 tasks, two of them are killed, and each task is done once", async () => {
  const place = new Place();
  configure(place);
  const [one, two, three, four] = await Promise.all([
    startClaimant(place, "one"),
    startClaimant(place, "two"),
    startClaimant(place, "three"),
    startClaimant(place, "four"),
  ]);
  for (let number = 0; number < taskCount; number++)
    await one.call("create_task", { title: `Task ${number}` });
  // One is killed with a task in its hands, the other while it ends one.
  const dieWithTask = async () => {
    await three.work(endedBefore);
    const held = await three.claim();
    three.kill();
    return held.claimed;
  };
  const dieEndingTask = async () => {
    await four.work(endedBefore);
    const ending = four.complete(await four.claim()).catch(() => undefined);
    four.kill();
    await ending;
  };
  // As many as leave the others theirs, however slow these are.
  const some = 40;
  const [held] = await Promise.all([dieWithTask(), dieEndingTask(), one.work(some), two.work(some)]);
  await Promise.all([one.work(), two.work()]);
  // Listing notices that the leases of the killed ran out.
  const query = { scope: "local", limit: 1_000 } as const;
  const left = await lookLater(place, (tasks) => tasks.list({ ...query, notStates: ["COMPLETED"] }));
  expect(left.tasks.map(({ id, state }) => ({ id, state }))).toContainEqual({ id: held, state: "READY" });
  expect(left.total).toBeLessThanOrEqual(2);
  await Promise.all([one.work(), two.work()]);
  const results = await lookLater(place, async (tasks) => {
    const done = await tasks.list({ ...query, states: ["COMPLETED"] });
    return Promise.all(done.tasks.map(({ id }) => tasks.results("local", id)));
  });
  expect(results.length).toBe(taskCount);
  expect(results.every((some) => some.length === 1 && some[0]?.outcome === "completed")).toBe(true);
  const doers = new Map<string, number>();
  for (const [result] of results) {
    const doer = result?.summary ?? "";
    doers.set(doer, (doers.get(doer) ?? 0) + 1);
  }
  expect(doers.get("done by three")).toBe(endedBefore);
  expect([endedBefore, endedBefore + 1]).toContain(doers.get("done by four"));
  expect(doers.size).toBe(4);
});
