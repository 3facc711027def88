import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { hasTerminal } from "../e2e/pseudo-terminal.ts";
import { leaveChat, openChat } from "../support/chat-terminal.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

test.skipIf(!hasTerminal)("haft chat shows words before their paragraph is whole", async () => {
  const { terminal } = await openChat([{ text: "These words are read while ", isOpen: true }]);
  terminal.type("Go\r");
  await terminal.shows("These words are read");
  terminal.type("\u0003");
  await terminal.shows("that answer does not count");
  await terminal.shows("interrupted");
  await leaveChat(terminal);
});

test.skipIf(!hasTerminal)("haft chat says why a request is made again, and how often", async () => {
  const { terminal } = await openChat([{ refuse: 429 }, { text: "Here I am." }]);
  terminal.type("Hello\r");
  await terminal.shows("there were too many requests; trying again now (1 of 2)");
  await terminal.shows("Here I am.");
  await leaveChat(terminal);
});

test.skipIf(!hasTerminal)(
  "haft chat takes a pasted text of several lines for one message, and a line that goes on",
  async () => {
    const { terminal, provider } = await openChat([{ text: "Read it." }, { text: "That too." }]);
    terminal.type("\u001b[200~first line\nsecond line\n\u001b[201~");
    await terminal.shows("second line");
    terminal.type("third\r");
    await terminal.shows("Read it.");
    await terminal.shows("› ");
    expect(JSON.stringify(provider.lastMessages())).toContain("first line\\nsecond line\\nthird");
    terminal.type("one \\\rtwo\r");
    await terminal.shows("That too.");
    expect(JSON.stringify(provider.lastMessages())).toContain("one \\ntwo");
    await leaveChat(terminal);
  },
);

test.skipIf(!hasTerminal)("haft chat tells the agent why a call was refused", async () => {
  const asks: ProviderTurn = { calls: [{ name: "write", input: { path: "../out.txt", content: "x" } }] };
  const { terminal, provider } = await openChat((_, before) => (before === 0 ? asks : { text: "Ended." }));
  terminal.type("Write it\r");
  await terminal.shows("Allow it?");
  terminal.type("w");
  await terminal.shows("Why not, or what instead?");
  terminal.type("keep it here\r");
  await terminal.shows("Ended.");
  expect(JSON.stringify(provider.lastMessages())).toContain("keep it here");
  await leaveChat(terminal);
});

test.skipIf(!hasTerminal)("haft chat completes commands with Tab, and suggests the nearest", async () => {
  const { terminal } = await openChat([]);
  terminal.type("/se\t");
  await terminal.shows("/sessions");
  terminal.type("\r");
  await terminal.shows("There are no conversations yet");
  terminal.type("/modle\r");
  await terminal.shows("There is no /modle; did you mean /model");
  terminal.type("/agent nobody\r");
  await terminal.shows('Cannot find an agent "nobody"');
  await leaveChat(terminal);
});

test.skipIf(!hasTerminal)("haft chat goes on with the copy of a conversation, and back", async () => {
  const { terminal } = await openChat([{ text: "First." }, { text: "In the copy." }]);
  terminal.type("Hello\r");
  await terminal.shows("First.");
  await terminal.shows("› ");
  terminal.type("/fork\r");
  const [, id = ""] = await terminal.shows(/\/resume (s_\w+) goes\s+back/);
  terminal.type("More\r");
  await terminal.shows("In the copy.");
  await terminal.shows("› ");
  terminal.type(`/resume ${id}\r`);
  await terminal.shows("Going on with");
  await leaveChat(terminal);
});

test("a conversation goes on in another folder and says so; a run that paused does not", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [
    { calls: [{ name: "listdir", input: { path: "." } }] },
    { text: "One step." },
    { text: "Elsewhere." },
  ]);
  const paused = await place.run(["run", "Go", "--steps", "1"]);
  const [, runId = ""] = /haft run --resume (\S+)/.exec(paused.stderr) ?? [];
  const there = join(place.folder, "..");
  const refused = await place.run(["run", "--resume", runId, "--folder", there]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain(`it works in ${place.folder}`);
  expect(refused.stderr).toContain("[AGENT_FOLDER]");
  const moved = await place.run(["run", "And now?", "--resume", runId, "--folder", there]);
  expect(moved).toMatchObject({ exitCode: 0, stdout: "Elsewhere.\n" });
  expect(moved.stderr).toContain(`It comes from ${place.folder}`);
  expect(JSON.stringify(provider.lastMessages())).toContain(`The working folder is now ${there}`);
  const listed = JSON.parse((await place.run(["sessions", "--json"])).stdout) as { folder: string }[];
  expect(listed.map(({ folder }) => folder)).toEqual([there]);
});

test("haft chat --resume begins anew where no conversation is of this folder, and names the newest", async () => {
  const place = new Place();
  await useScriptedProvider(place, [{ text: "Hello." }, { text: "New." }]);
  await place.run(["run", "Hi"]);
  const other = join(place.folder, "..");
  const { stderr } = await place.run(["chat", "--resume", "--folder", other], "And?\n");
  expect(stderr).toMatch(/No conversation is of this folder.*\/resume s_\w+/);
  const sessions = JSON.parse((await place.run(["sessions", "--json"])).stdout) as unknown[];
  expect(sessions).toHaveLength(2);
  const again = await place.run(["chat", "--resume"], "");
  expect(again.stderr).toContain("Going on with");
});

test("haft run --json ends with run.ended where nothing could begin", async () => {
  const place = new Place();
  const { exitCode, stdout } = await place.run(["run", "--json", "Hi"]);
  expect(exitCode).toBe(78);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ type: "run.ended", end: { state: "failed", code: "AGENT_MODEL" } }]);
});

test("haft run shows a command that left with another code than 0 as failed", async () => {
  const place = new Place();
  await useScriptedProvider(place, [
    { calls: [{ name: "bash", input: { command: "echo no >&2; exit 3" } }] },
    { text: "It failed." },
  ]);
  const { stderr } = await place.run(["run", "--yes", "Try"]);
  expect(stderr).toContain("→ bash echo no >&2; exit 3\n✗ bash (exit code 3): [stderr] no\n");
  const events = (await place.run(["sessions", "--json"])).stdout;
  const [{ id }] = JSON.parse(events) as [{ id: string }];
  expect((await place.run(["sessions", "show", id])).stdout).toContain("✗ bash (exit code 3)");
});

test("haft run names the secret of a key that is not taken, and says that the run can go on", async () => {
  const place = new Place();
  const answer: ProviderTurn = { refuse: 401 };
  await useScriptedProvider(place, [answer], "", { model: 'apiKey: "${secret:MY_KEY}"' });
  const missing = await place.run(["run", "Hi"]);
  expect(missing.exitCode).toBe(78);
  expect(missing.stderr).toContain("store it with `haft secret set MY_KEY`");
  expect(missing.stderr).toMatch(/haft run --resume run_\w+ tries again, once that is put right/);
  const { checks } = JSON.parse((await place.run(["doctor", "--json"])).stdout) as {
    checks: { name: string; status: string; remedy?: string }[];
  };
  expect(checks.find(({ name }) => name === "agent")).toMatchObject({
    status: "warning",
    remedy: expect.stringContaining("haft secret set MY_KEY") as string,
  });
  await place.run(["secret", "set", "MY_KEY"], "not-the-right-key\n");
  const wrong = await place.run(["run", "Hi"]);
  expect(wrong.exitCode).toBe(78);
  expect(wrong.stderr).toContain("store the right key with `haft secret set MY_KEY`");
});
