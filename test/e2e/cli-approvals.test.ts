import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Place, program } from "./cli-process.ts";
import { approveAt, hasTerminal, noTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

/** Files outside the project folder: to read one of them asks. */
class AskingPlace extends Place {
  readonly outside = join(dirname(this.folder), "outside", "data");

  constructor() {
    super();
    mkdirSync(this.outside, { recursive: true });
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(this.outside, name), `text of ${name}\n`);
  }

  read(name: string, environment: Readonly<Record<string, string>> = {}) {
    return this.run(["call", "read", JSON.stringify({ path: join(this.outside, name) })], "", environment);
  }

  /** Asks for a file, which nobody is there to allow, and gives the id of the question. */
  async ask(name: string): Promise<string> {
    const { exitCode, stderr } = await this.read(name);
    expect(exitCode).toBe(4);
    return /answers the question (a_\w+)/.exec(stderr)?.[1] ?? stderr;
  }

  async json(...args: string[]): Promise<unknown> {
    const { stdout } = await this.run([...args, "--json"]);
    return JSON.parse(stdout);
  }
}

test("a refused call is kept as a question, and runs once after haft approvals approve", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  expect(await place.run(["approvals"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "No question waits for an answer\n",
  });
  const id = await place.ask("a.txt");
  expect((await place.run(["approvals"])).stdout).toMatch(
    new RegExp(
      `^${id} .*local \\(cli\\) +pending, \\d+ min left +${place.folder} +read: read .*/a.txt$`,
      "m",
    ),
  );
  const shown = await place.run(["approvals", "show", id]);
  expect(shown.stdout).toContain(`  with       path: ${place.outside}/a.txt\n`);
  expect(shown.stdout).toContain("  for        owner:*\n");
  expect(shown.stdout).toContain(`  in         ${place.folder}\n`);
  expect(shown.stdout).toContain("  asked by   local (cli)\n");
  expect(shown.stdout).toMatch(
    new RegExp(`question +${id}: no call waits any more, .*; expires in \\d+ min$`, "m"),
  );
  expect(await place.json("approvals")).toMatchObject([{ id, folder: place.folder }]);
  const given = await approveAt(place, id);
  expect(given).toMatchObject({
    exitCode: 0,
    screen: expect.stringContaining(
      `${id} is approved: the call goes on if it still waits, or when it is made again\n`,
    ),
  });
  expect(given.screen).toContain(`  with       path: ${place.outside}/a.txt\n`);
  expect(await place.read("a.txt")).toMatchObject({ exitCode: 0, stdout: "text of a.txt\n" });
  expect(await place.json("approvals", "show", id)).toMatchObject({ id, state: "used" });
  expect(await place.ask("a.txt")).not.toBe(id);
  expect(await place.run(["approvals", "approve", id])).toMatchObject({
    exitCode: 4,
    stderr: expect.stringMatching(/owner:\S+ said yes already; have the call made again/),
  });
});

test("haft approvals deny says no once and for all to the question", async () => {
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  expect(await place.run(["approvals", "deny", id, "--reason", "not that one"])).toMatchObject({
    exitCode: 0,
    stdout: `${id} is denied\n`,
  });
  expect(await place.json("approvals", "--all")).toMatchObject([
    { id, state: "denied", answer: { approved: false, reason: "not that one" } },
  ]);
  expect(await place.run(["approvals", "approve", id])).toMatchObject({ exitCode: 4 });
  expect(await place.read("a.txt")).toMatchObject({ exitCode: 4, stdout: "" });
});

test("haft approvals deny --all says no to every question that waits", async () => {
  const place = new AskingPlace();
  const ids = [await place.ask("a.txt"), await place.ask("b.txt")];
  expect(await place.run(["approvals", "deny", "--all", "--reason", "not now"])).toMatchObject({
    exitCode: 0,
    stdout: "2 questions are denied\n",
  });
  expect(await place.json("approvals", "--all")).toMatchObject(
    ids.toReversed().map((id) => ({ id, state: "denied", answer: { reason: "not now" } })),
  );
  expect(await place.json("approvals", "deny", "--all")).toEqual({ denied: [] });
});

test("haft approvals approve says until when the yes is remembered", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  const given = await approveAt(place, id, "--remember", "exact", "--for", "60d");
  expect(given.screen).toContain("The yes is to be remembered: exactly this call");
  expect(given.screen).toMatch(
    /remembered until \d{4}-\d\d-\d\d [\d:]+, or until it is unused for 30 days\n$/,
  );
  const before = Date.now();
  const { screen } = await approveAt(
    place,
    await place.ask("b.txt"),
    "--remember",
    "exact",
    "--for",
    "1h",
    "--json",
  );
  const { holdsUntil = 0, endsUnusedAfterMs } = JSON.parse(
    /\{\s+"id"[^]*\}/.exec(screen)?.[0] ?? "",
  ) as Record<string, number>;
  expect(endsUnusedAfterMs).toBe(30 * 86_400_000);
  expect(holdsUntil).toBeGreaterThanOrEqual(before + 3_600_000);
  expect(holdsUntil).toBeLessThanOrEqual(Date.now() + 3_600_000);
});

test("the ledger says which question a call was decided by", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  await approveAt(place, id);
  const { stderr } = await place.read("a.txt");
  expect(stderr).not.toContain(id);
  const calls = (await place.json("audit", "--tool", "read")) as { notes: string[] }[];
  expect(calls.map(({ notes }) => notes)).toEqual([
    [expect.stringMatching(/^owner:.* had said yes to this before/), `question: ${id}, answered before`],
    [`question: ${id}`],
  ]);
});

test("a yes that is remembered covers what its offer said, until haft grants revoke", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  await approveAt(place, id, "--remember", "wider", "--for", "1h");
  expect((await place.read("a.txt")).stdout).toBe("text of a.txt\n");
  expect((await place.read("b.txt")).stdout).toBe("text of b.txt\n");
  expect((await place.read("../c.txt")).exitCode).toBe(4);
  const listed = await place.run(["grants"]);
  expect(listed.stdout).toMatch(
    /^(g_\w+) +owner:\S+ +1 +(?:\d+ s|1 min) ago +in (?:60|59) min +read: read anything in .*\/data\/, except files that may hold secrets$/m,
  );
  const [grant] = (await place.json("grants")) as { id: string }[];
  expect(await place.run(["grants", "revoke", grant?.id ?? ""])).toMatchObject({ exitCode: 0 });
  expect(await place.run(["grants", "revoke", grant?.id ?? ""])).toMatchObject({ exitCode: 3 });
  const again = await place.ask("b.txt");
  expect(await place.json("approvals", "show", again)).toMatchObject({
    reason: expect.stringMatching(/; asked again: owner:\S+ revoked the answer g_\w+ on /),
  });
  expect((await place.run(["grants"])).stderr).toBe("Nothing is allowed beyond what the rules say\n");
  expect(await place.json("grants", "--all")).toMatchObject([{ state: "revoked" }]);
});

test("haft grants revoke --all asks first, and takes --yes", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  await approveAt(place, id, "--remember", "exact", "--for", "always");
  await place.read("a.txt");
  expect((await place.run(["grants", "revoke", "--all"])).exitCode).toBe(4);
  expect((await place.read("a.txt")).exitCode).toBe(0);
  expect((await place.run(["grants", "revoke", "--all", "--yes"])).stdout).toBe("1 grant is revoked\n");
  expect((await place.read("a.txt")).exitCode).toBe(4);
});

test("a process that a tool started answers nothing, with --yes neither", async () => {
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  const inside = { HAFT_PROCESS: "x" };
  for (const args of [
    ["approve", id],
    ["deny", id],
    ["watch", "--json"],
  ])
    expect(await place.run(["approvals", ...args], "", inside)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("no tool answers for a person"),
    });
  const call = ["call", "read", JSON.stringify({ path: join(place.outside, "a.txt") }), "--yes"];
  expect(await place.run(call, "", inside)).toMatchObject({ exitCode: 4, stdout: "" });
  expect(await place.json("approvals", "show", id)).toMatchObject({ state: "pending" });
  expect((await place.run(call)).exitCode).toBe(0);
});

test.for([
  [["approvals", "approve"], 2, "Cannot approve a question: name one"],
  [["approvals", "approve", "a_none"], 3, "haft approvals` lists those that wait [APPROVAL_NOT_FOUND]"],
  [["approvals", "show", "a_none"], 3, "haft approvals --all` lists them"],
  [["approvals", "approve", "a_1", "--for", "1h"], 2, "say what to remember with --remember exact"],
  [
    ["approvals", "approve", "a_1", "--remember", "exact", "--for", "soon"],
    2,
    "give one such as 30m, 2h or 7d",
  ],
  [["approvals", "approve", "--all"], 2, "--all is for list and deny"],
  [["approvals", "deny", "a_1", "--all"], 2, 'it is either "a_1" or --all'],
  [["approvals", "deny", "a_1", "--remember", "exact"], 2, "Cannot remember a no"],
  [["approvals", "approve", "a_1", "--reason", "x"], 2, "--reason is for deny"],
  [["approvals", "watch"], 4, "there is no terminal to answer at"],
  [["approvals", "lst"], 2, "Allowed choices are list, show, approve, deny, watch, pin"],
  [["approvals", "pin"], 4, "there is no terminal to type it at"],
  [["grants", "revoke"], 2, "Cannot revoke a grant: name one"],
  [["grants", "revoke", "g_1", "--all"], 2, 'it is either "g_1" or --all'],
  [["grants", "revoke", "g_1"], 3, 'Cannot revoke the grant "g_1"'],
] as const)("haft %j leaves with %i", async ([args, exitCode, message]) => {
  const place = new Place();
  expect(await place.run(args)).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
});

test("haft approvals approve refuses to remember what was not offered, and the question stays open", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  const refused = await approveAt(place, id, "--remember", "everything");
  expect(refused.exitCode).toBe(2);
  expect(refused.screen.replaceAll(/\s+/g, " ")).toContain(
    "it can be remembered as exact (for session, time, always) or wider",
  );
  expect(await place.json("approvals", "show", id)).toMatchObject({ state: "pending" });
});

test("haft approvals approve is a person's at a terminal, who types the code that it shows", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const id = await place.ask("a.txt");
  expect(await place.run(["approvals", "approve", id], "y\n")).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("a yes is given by a person at a terminal"),
  });
  for (const [keys, exitCode] of [
    ["nope\r", 4],
    ["\r", 4],
    ["\u0003", 130],
  ] as const) {
    const terminal = new PseudoTerminal(place, ["approvals", "approve", id]);
    await terminal.shows(/Type \w{4} to say yes/);
    terminal.type(keys);
    expect(await terminal.ended).toMatchObject({ exitCode });
  }
  expect(await place.json("approvals", "show", id)).toMatchObject({ state: "pending" });
});

const agentShells = [
  ["a variable of the client's", { environment: { CLAUDECODE: "1" } }, "the variable CLAUDECODE"],
  ["the process above", { above: "opencode" }, "opencode (process"],
] as const;

test.for(agentShells)(
  "the shell of an agent answers nothing and opens nothing, also at a terminal: known by %s",
  async ([, how, says], context) => {
    if (!hasTerminal || process.platform !== "linux") return context.skip(noTerminal);
    const place = new AskingPlace();
    const id = await place.ask("a.txt");
    writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: bash }]\n");
    const asShell = (args: readonly string[]) => {
      if ("environment" in how) return new PseudoTerminal(place, args, { environment: how.environment });
      const shell = join(place.home, how.above);
      if (!existsSync(shell)) symlinkSync("/bin/sh", shell);
      const line = '"$0" "$@"; exit $?';
      return new PseudoTerminal(place, args, { program: [shell, "-c", line, process.execPath, program] });
    };
    for (const args of [
      ["approvals", "approve", id, "--remember", "exact", "--for", "always"],
      ["approvals", "watch"],
      ["approvals", "pin"],
      ["console"],
      ["console", "--print"],
      ["trust", "--yes"],
      ["init", "--yes", "--folder", place.outside],
      ["secret", "set", "KEY"],
      ["mcp", "add", "one", "--yes", "--", "true"],
      ["call", "read", JSON.stringify({ path: join(place.outside, "a.txt") }), "--yes"],
    ])
      expect(await asShell(args).ended).toMatchObject({
        exitCode: 4,
        screen: expect.stringContaining(says),
      });
    const call = ["call", "read", JSON.stringify({ path: join(place.outside, "b.txt") })];
    expect(await asShell(call).ended).toMatchObject({
      exitCode: 4,
      screen: expect.stringContaining("nobody to ask here"),
    });
    expect(await place.json("approvals", "show", id)).toMatchObject({ state: "pending" });
    expect(existsSync(join(place.home, "trusted.json"))).toBe(false);
  },
);

test("a PIN is asked for each yes and each change of what is allowed, once it is set", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new AskingPlace();
  const setting = new PseudoTerminal(place, ["approvals", "pin"]);
  await setting.shows("New PIN");
  setting.type("2468\r");
  await setting.shows("The same again");
  setting.type("2468\r");
  expect(await setting.ended).toMatchObject({
    exitCode: 0,
    screen: expect.stringContaining("The PIN is set"),
  });
  const id = await place.ask("a.txt");
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: bash }]\n");
  const call = ["call", "read", JSON.stringify({ path: join(place.outside, "a.txt") }), "--yes"];
  for (const args of [
    call,
    ["trust", "--yes"],
    ["secret", "delete", "A", "--yes"],
    ["grants", "revoke", "--all", "--yes"],
  ])
    expect(await place.run(args)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("the owner's PIN is needed"),
    });
  const approving = new PseudoTerminal(place, ["approvals", "approve", id]);
  const [, code] = await approving.shows(/Type (\w{4}) to say yes/);
  approving.type(`${code}\r`);
  await approving.shows("PIN");
  approving.type("1357\r");
  await approving.shows("That is not the PIN");
  expect(await place.json("approvals", "show", id)).toMatchObject({ state: "pending" });
  approving.type("2468\r");
  expect(await approving.ended).toMatchObject({ exitCode: 0 });
  expect(await place.json("approvals", "show", id)).toMatchObject({ state: "approved" });
  const removing = new PseudoTerminal(place, ["approvals", "pin", "--remove"]);
  await removing.shows("PIN");
  removing.type("2468\r");
  expect(await removing.ended).toMatchObject({ exitCode: 0 });
  expect((await place.run(["grants", "revoke", "--all", "--yes"])).exitCode).toBe(0);
});
