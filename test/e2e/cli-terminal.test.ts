import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { Place } from "./cli-process.ts";
import { answerAt as answer, hasTerminal, noTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const { inSandbox } = await sandboxHere();

function bash(place: Place, command: string): string[] {
  writeFileSync(join(place.folder, "arguments.json"), JSON.stringify({ command }));
  return ["call", "bash", JSON.stringify({ command })];
}

/** A file to read, which asks: it is outside the project folder. */
function outsideFile(place: Place, name: string): string {
  const outside = join(dirname(place.folder), "outside", "data");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, name), `${name}\n`);
  return join(outside, name);
}

function readCall(path = ""): string[] {
  return ["call", "read", JSON.stringify({ path })];
}

test.for([
  ["y", 0, true],
  ["n", 4, false],
  ["\r", 4, false],
  ["\u001b", 130, false],
  ["\u0003", 130, false],
] as const)(
  "haft call asks at a terminal, and %j leaves with %i",
  inSandbox,
  async ([key, exitCode, ran], context) => {
    if (!hasTerminal) return context.skip(noTerminal);
    const place = new Place();
    const asked = await answer(place, bash(place, "echo ran > marker"), "Allow it?", key);
    expect(asked.exitCode).toBe(exitCode);
    expect(existsSync(join(place.folder, "marker"))).toBe(ran);
    expect(asked.screen).toContain("  will       run > marker\n");
    expect(asked.screen).toContain("  with       command: echo ran > marker\n");
  },
);

test("haft call remembers a, for exactly this call", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const [one, two] = ["one", "two"].map((name) => outsideFile(place, name));
  expect(await answer(place, readCall(one), "Allow it?", "a")).toMatchObject({ exitCode: 0 });
  expect(await place.run(readCall(one))).toEqual({ exitCode: 0, stdout: "one\n", stderr: "" });
  expect(await place.run(readCall(two))).toMatchObject({ exitCode: 4, stdout: "" });
});

test("haft call remembers g, for an hour, for what the question showed as wider", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const [one, two] = ["one", "two"].map((name) => outsideFile(place, name));
  const asked = await answer(place, readCall(one), "Allow it?", "g");
  expect(asked.exitCode).toBe(0);
  expect(asked.screen).toContain("  or wider   read anything in ");
  expect(await place.run(readCall(two))).toEqual({ exitCode: 0, stdout: "two\n", stderr: "" });
  const [grant] = JSON.parse((await place.run(["grants", "--json"])).stdout) as { term: string }[];
  expect(grant?.term).toBe("time");
});

test("haft call shows at the question what a terminal would hide", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const command = "echo safe\u001b[2K\u202e # \u200b";
  const { screen } = await answer(place, bash(place, command), "Allow it?", "n");
  expect(screen).toContain("echo safe\\u{1b}[2K\\u{202e} # \\u{200b}");
  expect(screen).not.toContain("\u202e");
});

test("haft call keeps from the terminal what a result would do to it", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const args = bash(place, "env PAGER=cat printf 'a\\033]0;title\\007b'");
  const { screen } = await answer(place, args, "Allow it?", "y");
  expect(screen).toContain("a\\u{1b}]0;title\\u{7}b");
  expect(screen).not.toContain("\u001b]0;title");
});

test("haft init and haft trust ask at a terminal, and do nothing without a yes", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const file = join(place.folder, "haft.config.yml");
  expect(await answer(place, ["init"], "Write it and trust it?", "n")).toMatchObject({ exitCode: 4 });
  expect(existsSync(file)).toBe(false);
  expect(await answer(place, ["init"], "Write it and trust it?", "y")).toMatchObject({ exitCode: 0 });
  expect(existsSync(file)).toBe(true);
  const other = new Place();
  writeFileSync(join(other.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: bash }]\n");
  const left = await answer(other, ["trust"], "Trust this file?", "\u0003");
  expect(left).toMatchObject({ exitCode: 130, screen: expect.stringContaining("  allow tool bash\n") });
  expect(await other.run(["trust", "--json", "--yes"])).toMatchObject({
    stdout: expect.stringContaining('"trustedBefore": false'),
  });
});

test("A yes is asked only for what was shown, with --json too", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: bash }]\n");
  const file = await answer(place, ["trust", "--json"], "Trust this file?", "n");
  expect(file).toMatchObject({ exitCode: 4, screen: expect.stringContaining("  allow tool bash\n") });
  const add = ["mcp", "add", "mine", "--json", "--", "node", "server-of-mine.js"];
  const server = await answer(place, add, "Let haft start this program?", "n");
  expect(server).toMatchObject({ exitCode: 4, screen: expect.stringContaining("server-of-mine.js") });
});

test("haft approvals watch shows a question as it comes, and takes the answer", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const read = readCall(outsideFile(place, "text"));
  expect(await place.run(read)).toMatchObject({ exitCode: 4 });
  const terminal = new PseudoTerminal(place, ["approvals", "watch"]);
  await terminal.shows("leave it open");
  expect(terminal.screen).toContain("Waiting for questions");
  expect(terminal.screen).toContain("read (Read a file) asks for your yes");
  terminal.type("y");
  await expect.poll(async () => (await place.run(["approvals", "--all"])).stdout).toContain(" approved, ");
  terminal.type("\u0003");
  expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  expect(await place.run(read)).toMatchObject({ exitCode: 0, stdout: "text\n" });
});

test("a key that is typed before a question is there answers none: haft approvals watch", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  // A key counts once nothing was typed for half a second, which a test that reads the screen may be late for.
  const terminal = new PseudoTerminal(place, ["approvals", "watch"], {
    reflexes: [["asks for your yes", "yy"]],
  });
  await terminal.shows("Waiting for questions");
  terminal.type("y");
  const [one, two] = ["one", "two"].map((name) => readCall(outsideFile(place, name)));
  // While somebody watches, a call waits for the answer.
  const calls = [place.run(one as string[])];
  await terminal.shows("asks for your yes");
  await terminal.shows("does not count");
  await terminal.shows("leave it open");
  expect(await getState(place)).toEqual(["pending"]);
  calls.push(place.run(two as string[]));
  await expect.poll(() => getState(place)).toHaveLength(2);
  // The second y is none to the next question.
  terminal.type("yy");
  await terminal.shows("asks for your yes");
  await terminal.shows("leave it open");
  expect(await calls[0]).toMatchObject({ exitCode: 0, stdout: "one\n" });
  expect((await getState(place)).toSorted()).toEqual(["pending", "used"]);
  terminal.type("\u0003");
  expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  expect(await calls[1]).toMatchObject({ exitCode: 4 });
});

test("a key that is typed before a question is there answers none: haft call, haft trust", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const terminal = new PseudoTerminal(place, bash(place, "echo ran > marker"), {
    reflexes: [["asks for your yes", "y"]],
  });
  terminal.type("y");
  await terminal.shows("asks for your yes");
  await terminal.shows("Allow it?");
  terminal.type("n");
  expect(await terminal.ended).toMatchObject({ exitCode: 4 });
  expect(existsSync(join(place.folder, "marker"))).toBe(false);
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: bash }]\n");
  const trusting = new PseudoTerminal(place, ["trust"]);
  trusting.type("y\ry\r");
  await trusting.shows("allow tool bash");
  await trusting.shows("Trust this file?");
  trusting.type("n");
  expect(await trusting.ended).toMatchObject({ exitCode: 4 });
});

async function getState(place: Place): Promise<string[]> {
  const { stdout } = await place.run(["approvals", "--all", "--json"]);
  return (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
}

test(
  "haft mcp review asks about each tool that a server changed, and accepts what gets a yes",
  inSandbox,
  async (context) => {
    if (!hasTerminal) return context.skip(noTerminal);
    const place = new Place();
    const offered = join(place.folder, "offered.json");
    const offer = (description: string) =>
      writeFileSync(offered, JSON.stringify([{ name: "get", description, inputSchema: { type: "object" } }]));
    offer("Get.");
    const server = [process.execPath, resolve("test/fixtures/mcp-client/changing-stdio.ts"), offered];
    const added = await answer(
      place,
      ["mcp", "add", "one", "--", ...server],
      "Let haft start this program?",
      "y",
    );
    expect(added).toMatchObject({ exitCode: 0, screen: expect.stringContaining("one__get") });
    offer("Get it all.");
    const question = "Accept get of one as it is now?";
    const refused = await answer(place, ["mcp", "review"], question, "n");
    expect(refused).toMatchObject({ exitCode: 1, screen: expect.stringContaining("+   Get it all.") });
    expect(await answer(place, ["mcp", "review"], question, "y")).toMatchObject({ exitCode: 0 });
    expect(await place.run(["mcp", "review"])).toMatchObject({ exitCode: 0, stdout: "" });
  },
);
