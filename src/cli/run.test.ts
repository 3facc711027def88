import { expect, test } from "vitest";
import { runCommand } from "../../test/support/command-line.ts";
import { commands } from "./command-table.ts";

/** Runs a command line on streams that are no terminals. */
const run = (...args: string[]) => runCommand(args);

test.for([[[]], [["help"]], [["--help"]], [["-h"]]] as const)("haft %j explains itself", async ([args]) => {
  expect(await run(...args)).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^Usage: haft <command> \[options\]\n[\s\S]*\n {2}call +Call one tool/),
    stderr: "",
  });
});

test.for(commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name))(
  "haft %s --help teaches, in lines that fit a terminal",
  async (name) => {
    const { exitCode, stdout, stderr } = await run(name, "--help");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("\nExamples:\n");
    for (const flag of ["--json", "--folder <dir>", "--home <dir>", "--verbose"])
      expect(stdout).toContain(flag);
    expect(stdout.split("\n").filter((line) => line.length > 112)).toEqual([]);
    await expect(stdout).toMatchFileSnapshot(`../../test/pins/cli-help-${name}.txt`);
    expect(await run("help", name)).toEqual({ exitCode, stdout, stderr });
  },
);

test("haft help exit-codes lists every code", async () => {
  const { stdout } = await run("help", "exit-codes");
  expect(stdout.split("\n").map((line) => line.slice(0, 4).trim())).toEqual(
    expect.arrayContaining(["Code", "0", "1", "2", "3", "4", "5", "6", "70", "78", "130"]),
  );
});

test.for([
  [["cal"], 'Cannot find a command "cal"; did you mean "call" [CLI_COMMAND_UNKNOWN]', 3],
  [["xyz"], 'Cannot find a command "xyz"; `haft help` lists them [CLI_COMMAND_UNKNOWN]', 3],
  [["help", "tool"], 'Cannot find a command "tool"; did you mean "tools" [CLI_COMMAND_UNKNOWN]', 3],
  [["--json"], 'Cannot run "haft --json": it names no command; `haft help` lists them [CLI_USAGE]', 2],
  [["undo", "c_1", "--last"], "give the id of a call, --last or --session, one of them", 2],
  [["call", "--timeot", "5"], "unknown option '--timeot'; Did you mean --timeout; `haft call --help`", 2],
  [
    ["call", "x", "--timeout", "0"],
    "give a whole number of milliseconds of at least 1; `haft call --help`",
    2,
  ],
  [["tools", "lst"], "Allowed choices are list, show, search", 2],
  [["tools", "packs", "--cost"], 'Cannot run "haft tools packs" with --cost: it takes no such thing', 2],
  [["tools", "--all"], "Cannot use --all alone: it is for --cost;", 2],
  [["tools", "--goal", "x"], "Cannot rank for a goal alone: name the tool with --why", 2],
  [
    ["tools", "--why", "bash", "--goal", " "],
    "Cannot rank for an empty goal: say what the tool should do",
    2,
  ],
  [["audit", "--verify", "--anchor", "1:abc"], "give seq:hash, as --verify printed it", 2],
  [["approvals", "approve", "--all"], "--all is for list and deny [CLI_USAGE]", 2],
  [["serve", "--port", "70000"], "give a whole number from 0 to 65535;", 2],
  [["audit", "--limit", "x"], "give a whole number from 1 to 1000; `haft audit --help`", 2],
  [["undo", "a", "b"], "too many arguments", 2],
  [["memory", "lst"], 'Cannot run "haft memory lst": there is no such command; did you mean list', 2],
  [["memory", "list", "--tier", "hot"], "Allowed choices are core, working, archival, log", 2],
  [["memory", "list", "--limit", "0"], "give a whole number from 1 to 1000; `haft memory list --help`", 2],
  [["memory", "search"], "missing required argument 'words'; `haft memory search --help`", 2],
  [["mcp", "add"], `Cannot run "haft mcp add": missing required argument 'name'; \`haft mcp add --help\``, 2],
] as const)("haft %j is refused in one line", async ([args, message, code]) => {
  const { exitCode, stdout, stderr } = await run(...args);
  expect({ exitCode, stdout, lines: stderr.split("\n").length }).toEqual({
    exitCode: code,
    stdout: "",
    lines: 2,
  });
  expect(stderr).toMatch(/^haft: /);
  expect(stderr).toContain(message);
});

test("haft help has the help of a command of a command too", async () => {
  expect((await run("help", "mcp", "add")).stdout).toContain("Usage: haft mcp add <name>");
});

test("haft --json gives a fault as an object too, wherever the option stands", async () => {
  const expected = {
    error: { code: "CLI_USAGE", message: expect.stringContaining("missing required argument") },
  };
  expect(JSON.parse((await run("memory", "search", "--json")).stdout)).toEqual(expected);
  expect(JSON.parse((await run("--json", "memory", "search")).stdout)).toEqual(expected);
});

test("haft --verbose shows where a fault came from", async () => {
  const { stderr } = await run("memory", "search", "--verbose");
  expect(stderr).toMatch(/\n {4}at .*program\.ts/);
  expect(stderr).toContain("caused by: ");
});

test("haft --folder names a folder that is not there", async () => {
  const { exitCode, stderr } = await run("init", "--yes", "--folder", "/no/such/folder");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr:
      'haft: Cannot work in "/no/such/folder": there is no such folder; name one that is there [CLI_NOT_FOUND]\n',
  });
});
