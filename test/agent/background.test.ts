import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Place, untilSays } from "../e2e/cli-process.ts";
import { approveAt, hasTerminal, noTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

interface Listed {
  readonly id: string;
  readonly run: {
    readonly id: string;
    readonly state: string;
    readonly why?: string;
    readonly waitFor?: string;
    readonly result?: string;
  };
}

/** A project in which a call asks, since its file is outside. */
class AskingPlace extends Place {
  readonly outside = join(dirname(this.folder), "outside.txt");
  readonly wanted: ProviderTurn = {
    calls: [{ name: "write", input: { path: this.outside, content: "written" } }],
  };

  async newest(): Promise<Listed | undefined> {
    const { stdout } = await this.run(["sessions", "--json"]);
    return (JSON.parse(stdout) as Listed[])[0];
  }

  /** Starts `haft serve`, which works in the background for this folder. */
  async serve(): Promise<ChildProcess> {
    const child = this.start(["serve", "--port", "0", "--json"]);
    child.stderr?.resume();
    if (child.stdout !== null) await untilSays(child.stdout, "listening");
    return child;
  }

  /** Waits until the run of the newest session is in this state. */
  async reaches(state: string): Promise<Listed["run"]> {
    await expect.poll(async () => (await this.newest())?.run.state).toBe(state);
    return (await this.newest())?.run as Listed["run"];
  }
}

const readQuestion = ({ waitFor = "" }: Listed["run"]) => waitFor.replace("approval:", "");

test("haft run --detach leaves the run to haft serve, where a question parks it and a yes lets it go on", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const provider = await useScriptedProvider(place, [place.wanted, { text: "It is written." }]);
  await place.serve();
  const left = await place.run(["run", "--detach", "Write it"]);
  expect(left).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^run_\w+\n$/) });
  const parked = await place.reaches("parked");
  expect(parked).toMatchObject({ id: left.stdout.trim(), why: "approval" });
  const id = readQuestion(parked);
  expect((await place.run(["sessions"])).stdout).toContain("waits for an answer");
  const session = await place.newest();
  expect((await place.run(["sessions", "show", session?.id ?? ""])).stderr).toContain(
    `haft approvals show ${id}`,
  );
  const runId = parked.id;
  expect((await place.run(["approvals"])).stdout).toContain("a run waits");
  expect((await place.run(["approvals", "show", id])).stdout).toContain(
    `the run ${runId} waits for the answer`,
  );
  expect([provider.asked.length, existsSync(place.outside)]).toEqual([1, false]);
  expect(await approveAt(place, id)).toMatchObject({ exitCode: 0 });
  await place.reaches("completed");
  expect(readFileSync(place.outside, "utf8")).toBe("written");
  expect(provider.asked).toHaveLength(2);
  expect(JSON.stringify(provider.lastMessages().at(-1))).not.toContain("Permission denied");
});

test("a no to the question of a run in the background is the result of its call", async () => {
  const place = new AskingPlace();
  const provider = await useScriptedProvider(place, [place.wanted, { text: "Then not." }]);
  await place.serve();
  await place.run(["run", "--detach", "Write it"]);
  const id = readQuestion(await place.reaches("parked"));
  await place.run(["approvals", "deny", id, "--reason", "use the test server"]);
  await place.reaches("completed");
  expect(JSON.stringify(provider.lastMessages().at(-1))).toContain("said no");
  expect(JSON.stringify(provider.lastMessages().at(-1))).toContain("use the test server");
  expect(existsSync(place.outside)).toBe(false);
});

test("an answer that is given while no haft works in the background lets the run go on once one does", async () => {
  const place = new AskingPlace();
  const provider = await useScriptedProvider(place, [place.wanted, { text: "Then not." }]);
  const serving = await place.serve();
  await place.run(["run", "--detach", "Write it"]);
  const id = readQuestion(await place.reaches("parked"));
  const gone = once(serving, "exit");
  serving.kill("SIGKILL");
  await gone;
  const denied = await place.run(["approvals", "deny", id]);
  expect(denied.stdout).toBe(`${id} is denied\n`);
  expect(denied.stderr).toMatch(
    /^Now the run run_\w+ goes on with `haft serve`, .* or with `haft run --resume run_\w+`\n$/,
  );
  expect((await place.newest())?.run.state).toBe("parked");
  await place.serve();
  await place.reaches("completed");
  expect(provider.asked).toHaveLength(2);
});

test("a run whose haft serve was killed goes on with the next one, without waiting for a lease to end", async () => {
  const place = new AskingPlace();
  let isKilled = false;
  const provider = await useScriptedProvider(place, () => (isKilled ? { text: "Done." } : undefined));
  const serving = await place.serve();
  await place.run(["run", "--detach", "Go"]);
  await expect.poll(() => provider.asked.length).toBe(1);
  const gone = once(serving, "exit");
  serving.kill("SIGKILL");
  await gone;
  isKilled = true;
  await place.serve();
  expect(await place.reaches("completed")).toMatchObject({ result: "Done." });
  expect(provider.asked).toHaveLength(2);
});

test("haft run --resume of a parked run puts its question at this terminal, and there is no second one", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  await useScriptedProvider(place, [place.wanted, { text: "It is written." }]);
  await place.serve();
  const id = (await place.run(["run", "--detach", "Write it"])).stdout.trim();
  await place.reaches("parked");
  const terminal = new PseudoTerminal(place, ["run", "--resume", id]);
  await terminal.shows("Allow it?");
  terminal.type("y");
  expect((await terminal.ended).exitCode).toBe(0);
  expect(readFileSync(place.outside, "utf8")).toBe("written");
  expect(JSON.parse((await place.run(["approvals", "--all", "--json"])).stdout)).toMatchObject([
    { state: "used" },
  ]);
});

test("haft run --resume of a parked run without a terminal leaves its question open, and says how it is answered", async () => {
  const place = new AskingPlace();
  await useScriptedProvider(place, [place.wanted, { text: "It is written." }]);
  await place.serve();
  const id = (await place.run(["run", "--detach", "Write it"])).stdout.trim();
  const question = readQuestion(await place.reaches("parked"));
  const resumed = await place.run(["run", "--resume", id]);
  expect(resumed).toMatchObject({ exitCode: 8, stdout: "" });
  expect(resumed.stderr).toContain(`haft approvals show ${question}`);
  expect(await place.reaches("parked")).toMatchObject({ waitFor: `approval:${question}` });
});

test("haft run --detach says what to do where no haft works in the background", async () => {
  const place = new AskingPlace();
  await useScriptedProvider(place, [{ text: "Done." }]);
  const left = await place.run(["run", "--detach", "Go"]);
  expect(left.exitCode).toBe(0);
  expect(left.stderr).toContain("`haft serve --detach` starts one");
  const json = JSON.parse((await place.run(["run", "--detach", "--json", "Go"])).stdout) as object;
  expect(json).toMatchObject({
    runId: expect.stringMatching(/^run_/),
    begun: false,
    servedBy: null,
    folder: place.folder,
  });
  expect((await place.run(["sessions"])).stdout).toContain("waits to be begun");
  const id = left.stdout.trim();
  expect(await place.run(["run", "--resume", id])).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
  expect(await place.run(["run", "--detach", "--yes", "Go"])).toMatchObject({ exitCode: 2 });
  expect(await place.run(["run", "--detach", "--profile", "full", "Go"])).toMatchObject({ exitCode: 2 });
});

test("haft serve of one folder does not drive the runs of another", async () => {
  const place = new AskingPlace();
  await useScriptedProvider(place, [{ text: "Done." }]);
  await place.serve();
  const other = dirname(place.folder);
  writeFileSync(join(other, "haft.config.yml"), "{}\n");
  const left = await place.run(["run", "--detach", "Go", "--folder", other]);
  expect(left.stderr).toContain(`no haft works in the background for ${other}`);
  const refused = await place.run(["run", "--resume", left.stdout.trim()]);
  expect(refused.stderr).toContain(`it works in ${other}`);
});

test("haft run parks where its model can't be asked before a time, says when it goes on, and goes on then", async () => {
  const place = new AskingPlace();
  const provider = await useScriptedProvider(place, [{ busySeconds: 40 }, { text: "Done." }]);
  const parked = await place.run(["run", "Go"]);
  expect(parked.exitCode).toBe(8);
  expect(parked.stderr).toMatch(/waits \d+ s more, until 20\S+ [\d:]+, since its model/);
  expect((await place.run(["sessions"])).stdout).toContain("waits for its model");
  const [, id = ""] = /haft run --resume (\S+)/.exec(parked.stderr) ?? [];
  expect(await place.run(["run", "--resume", id])).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
  expect(provider.asked).toHaveLength(2);
});
