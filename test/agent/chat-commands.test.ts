import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finish, Place } from "../e2e/cli-process.ts";
import { hasTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { leaveChat, openChat } from "../support/chat-terminal.ts";
import { runCommand } from "../support/command-line.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";
import { spawn, TaskPlace, TaskWorld } from "../support/task-world.ts";

/** A red dot of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const asks: ProviderTurn = { calls: [{ name: "write", input: { path: "../out.txt", content: "x" } }] };

test.skipIf(!hasTerminal)(
  "Ctrl-C at a question of haft chat interrupts the agent, and the conversation goes on",
  async () => {
    const { terminal, provider } = await openChat([asks, { text: "Then not." }]);
    terminal.type("Write it\r");
    await terminal.shows("Allow it?");
    // Before that it would only end the wait for keys that were typed too soon.
    await terminal.shows("no, and say why");
    terminal.type("\u0003");
    await terminal.shows("interrupted; say what is next");
    await terminal.shows("› ");
    terminal.type("Never mind\r");
    await terminal.shows("Then not.");
    expect(provider.asked).toHaveLength(2);
    await terminal.shows("› ");
    await leaveChat(terminal);
  },
);

test.skipIf(!hasTerminal)("haft chat names the model that is asked beside the step", async () => {
  const { terminal } = await openChat((_, before) => (before === 0 ? undefined : { text: "Bye." }));
  terminal.type("Go\r");
  await terminal.shows(/step 1 · thinking.* · main/);
  terminal.type("\u0003");
  await terminal.shows("interrupted");
  await leaveChat(terminal);
});

test.skipIf(!hasTerminal)("/compact says that it sums up, and Ctrl-C stops it", async () => {
  const world = new TaskWorld();
  const asked: string[] = [];
  await world.script(({ text }) => {
    asked.push(text);
    return asked.length > 3 ? undefined : { text: "Read." };
  }, {});
  const long = "word ".repeat(6_000);
  const { run } = await world.turn(`First. ${long}`);
  for (const said of ["Second.", "Third."]) await world.turn(`${said} ${long}`, { sessionId: run.sessionId });
  await world.close();
  const terminal = new PseudoTerminal(world, ["chat", "--resume", run.sessionId]);
  await terminal.shows("you: Third.");
  await terminal.shows("› ");
  terminal.type("/compact\r");
  await terminal.shows("Summing up");
  await expect.poll(() => asked.length).toBe(4);
  terminal.type("\u0003");
  await terminal.shows("interrupted; the conversation is as it was");
  await terminal.shows("› ");
  await leaveChat(terminal);
  expect((await world.run(["sessions", "show", run.sessionId])).stdout).not.toContain("summed up");
});

test("/approvals lists the questions that wait, and how each is answered", async () => {
  const world = new TaskWorld();
  await world.script(() => asks, {});
  const place = { folder: world.folder, home: { folder: world.home } };
  const list = async () => (await runCommand(["chat"], { place, input: "/approvals\n" })).stderr;
  expect(await list()).toContain("Nothing waits for an answer");
  const host = await (await world.app()).agent();
  const run = await host.begin({ channel: "terminal", parts: [{ type: "text", text: "Write it" }] });
  expect(await world.drive(run, { inBackground: true })).toMatchObject({ state: "parked", why: "approval" });
  await world.close();
  const said = await list();
  expect(said).toMatch(
    new RegExp(`^a_\\w+, .* ago, write: change .*out\\.txt; /resume ${run.id} asks here$`, "m"),
  );
  expect(said).toContain("`haft approvals approve ID` and `deny ID` answer one");
});

test("haft run --resume takes what is piped as the next message", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [{ text: "Hello." }, { text: "Two." }]);
  await place.run(["run", "Hi"]);
  const [{ id }] = JSON.parse((await place.run(["sessions", "--json"])).stdout) as [{ id: string }];
  expect(await place.run(["run", "--resume", id], "one and one?\n")).toMatchObject({
    exitCode: 0,
    stdout: "Two.\n",
  });
  expect(JSON.stringify(provider.lastMessages())).toContain("one and one?");
});

test("haft run --resume goes on with what was interrupted last, without a word, and with nothing that came before", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, (_, before) =>
    before === 0 ? undefined : { text: before === 1 ? "Now it is done." : "More." },
  );
  const child = place.start(["run", "Do it"]);
  child.stdin?.end();
  await expect.poll(() => provider.asked.length).toBe(1);
  child.kill("SIGINT");
  const { exitCode, stderr } = await finish(child);
  expect(exitCode).toBe(130);
  const [, id = ""] = /interrupted; haft run --resume (run_\w+) goes on/.exec(stderr) ?? [];
  expect(await place.run(["run", "--resume", id])).toMatchObject({
    exitCode: 0,
    stdout: "Now it is done.\n",
  });
  const said = JSON.stringify(provider.lastMessages());
  expect(said).toContain("Do it");
  expect(said).toContain("Go on with what you were at.");
  const over = await place.run(["run", "--resume", id]);
  expect([over.exitCode, over.stdout]).toEqual([2, ""]);
  expect(over.stderr).toContain("it has ended; say what is next");
});

test.skipIf(!hasTerminal)("haft chat that comes back to what was interrupted waits for /resume", async () => {
  const { terminal, place, provider } = await openChat((_, before) =>
    before === 0 ? undefined : { text: "Now it is done." },
  );
  terminal.type("Do it\r");
  await terminal.shows("thinking");
  await expect.poll(() => provider.asked.length).toBe(1);
  terminal.type("\u0003");
  await terminal.shows("interrupted; say what is next, or /resume goes on");
  terminal.type("\u0003");
  expect((await terminal.ended).exitCode).toBe(0);
  const again = new PseudoTerminal(place, ["chat", "--resume"]);
  await again.shows("you: Do it");
  await again.shows("It was interrupted: /resume goes on with it, or say what is next");
  await again.shows("› ");
  expect(provider.asked).toHaveLength(1);
  again.type("/resume\r");
  await again.shows("Now it is done.");
  await again.shows("› ");
  await leaveChat(again);
});

test("haft run says that a model takes no pictures, and knows the main agent by its name", async () => {
  const place = new Place();
  const picture = join(place.folder, "dot.png");
  writeFileSync(picture, Buffer.from(dot, "base64"));
  const ask = ["run", "--agent", "main", "What is this?", "--with", "dot.png"];
  const blind = await useScriptedProvider(place, [{ text: "I see nothing." }]);
  const unseen = await place.run(ask);
  expect(unseen).toMatchObject({ exitCode: 0, stdout: "I see nothing.\n" });
  expect(unseen.stderr).toContain('the model "main" is not shown the picture');
  expect(JSON.stringify(blind.lastMessages())).not.toContain(dot);
  const seeing = await useScriptedProvider(place, [{ text: "A dot." }], "", { model: "images: true" });
  expect(await place.run(ask)).toMatchObject({ exitCode: 0, stdout: "A dot.\n", stderr: "" });
  expect(JSON.stringify(seeing.lastMessages())).toContain(dot);
});

test.skipIf(!hasTerminal)("haft chat puts the questions of tasks in place", async () => {
  const place = new TaskPlace();
  await place.script(
    ({ answers, text }) => {
      if (answers === 0) return { calls: [spawn("Write it down", "alpha")] };
      return { text: text.includes("It is written") ? "I have heard of it." : "It is begun." };
    },
    { alpha: ({ answers }) => (answers === 0 ? asks : { text: "It is written." }) },
  );
  const terminal = new PseudoTerminal(place, ["chat"]);
  await terminal.shows("› ");
  terminal.type("Go\r");
  await terminal.shows("Allow it?");
  await terminal.shows("no, and say why");
  terminal.type("y");
  await terminal.shows("I have heard of it.");
  expect(readFileSync(join(place.folder, "../out.txt"), "utf8")).toBe("x");
  await terminal.shows("› ");
  await leaveChat(terminal);
});
