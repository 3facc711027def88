import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Environment, Processes, UndoFolder, Workspace } from "../../src/host/index.ts";
import { type Tool, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { shellTools } from "../../src/modules/shell/index.ts";

interface World {
  readonly base: string;
  readonly folder: string;
  readonly bash: Tool;
  /** Runs a line where nobody can be asked; returns whether it ran. */
  readonly call: (command: string) => Promise<boolean>;
  /** What a planted program has left behind: its name. */
  readonly ran: () => readonly string[];
}

interface WorldOptions {
  /** Entries of the `PATH` before those of this machine, below the base or as they are. */
  readonly path: readonly string[];
  /** Programs of the project, by their paths below the base. */
  readonly programs: readonly string[];
}

/** A project with programs of its own, and a shell that finds them first, as below `npx`. */
function openWorld({ path, programs }: WorldOptions): World {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-own-programs-")));
  const folder = join(base, "group/project");
  const marks = join(base, "marks");
  for (const one of [folder, marks, join(base, "machine")]) mkdirSync(one, { recursive: true });
  writeFileSync(join(folder, "a.txt"), "text\n");
  for (const program of programs) plant(join(base, program), marks);
  const entries = path.map((one) => (one.startsWith("//") ? join(base, one) : one));
  const environment = new Environment({
    variables: { ...process.env, PATH: [...entries, process.env["PATH"] ?? ""].join(delimiter) },
  });
  const processes = new Processes();
  const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")) });
  const [bash] = shellTools({ processes, workspace, environment }) as [Tool];
  onTestFinished(async () => {
    await processes.close();
    rmSync(base, { recursive: true });
  });
  return {
    base,
    folder,
    bash,
    call: (command) => callOnce(bash, command, folder),
    ran: () => readdirSync(marks),
  };
}

function plant(program: string, marks: string): void {
  mkdirSync(dirname(program), { recursive: true });
  const mark = `: > '${marks}/'"$(basename "$0")"`;
  writeFileSync(program, `#!/bin/sh\n${mark}\n`, { mode: 0o755 });
}

async function callOnce(bash: Tool, command: string, folder: string): Promise<boolean> {
  const registry = new ToolRegistry();
  registry.register(bash);
  const result = await new ToolExecutor(registry).execute("bash", { command }, { allowedPaths: [folder] });
  return result.success;
}

const bin = "//group/project/node_modules/.bin";

test.for<[string, string, string, string]>([
  ["a program of the project with a name of the system's", bin, "ls", "ls"],
  ["behind a program that starts it", bin, "ls", "timeout 5 ls"],
  ["that is the program that starts another", bin, "nice", "nice ls"],
  ["in a pipe", bin, "wc", "cat a.txt | wc -l"],
  ["in a substitution", bin, "date", "echo $(date)"],
  ["started by find", bin, "cat", "find . -name a.txt -exec cat {} ;"],
  ["that is a shell", bin, "sh", "sh -c 'ls'"],
  ["of an environment", "//group/project/.venv/bin", "ls", "ls"],
  ["in a folder that direnv adds", "//group/project/tools", "ls", "ls"],
  ["of a folder above the project", "//group/node_modules/.bin", "ls", "ls"],
  ["in the folder the line is in", ".", "ls", "ls"],
  ["in an empty entry of the PATH", "", "ls", "ls"],
])("%s asks, and does not run unasked", async ([, entry, name, command]) => {
  const place = entry.startsWith("//") ? entry.slice(2) : "group/project";
  const { call, ran } = openWorld({ path: [entry], programs: [`${place}/${name}`] });
  expect(await call(command)).toBe(false);
  expect(ran()).toEqual([]);
});

test("a name of the machine's that leads into the project asks", async () => {
  const { base, call } = openWorld({ path: ["//machine"], programs: ["group/project/x"] });
  symlinkSync(join(base, "group/project/x"), join(base, "machine/ls"));
  expect(await call("ls")).toBe(false);
});

test("a relative entry of the PATH is looked up where the line goes", async () => {
  const { call } = openWorld({ path: ["bin"], programs: ["group/project/sub/bin/ls"] });
  expect(await call("ls")).toBe(true);
  expect(await call("cd sub; ls")).toBe(false);
});

test("other names run unasked beside a project's programs, by the machine's own", async () => {
  const { call, ran } = openWorld({ path: [bin], programs: ["group/project/node_modules/.bin/tsc"] });
  expect(await call("ls")).toBe(true);
  expect(await call("cat a.txt | wc -l")).toBe(true);
  expect(ran()).toEqual([]);
});

test("the program that was judged is the one that runs, even if another is made in the meantime", async () => {
  const { base, folder, bash, ran } = openWorld({ path: [bin], programs: [] });
  const planting: Tool = {
    ...bash,
    effects: async (params, context) => {
      const effects = (await bash.effects?.(params as never, context)) ?? [];
      plant(join(folder, "node_modules/.bin/ls"), join(base, "marks"));
      return effects;
    },
  };
  expect(await callOnce(planting, "ls", folder)).toBe(true);
  expect(existsSync(join(folder, "node_modules/.bin/ls"))).toBe(true);
  expect(ran()).toEqual([]);
});

test("what somebody allowed finds the project's programs", async () => {
  const { folder, bash, ran } = openWorld({ path: [bin], programs: ["group/project/node_modules/.bin/tsc"] });
  const registry = new ToolRegistry();
  registry.register(bash);
  const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
  const { effects } = await executor.foresee("bash", { command: "tsc" }, { allowedPaths: [folder] });
  expect(effects.flatMap(({ code = [] }) => code).map(({ path }) => path)).toEqual([
    join(folder, "node_modules/.bin/tsc"),
  ]);
  expect(effects[0]?.asks).toContain("tsc is a program of the project");
  expect(await executor.execute("bash", { command: "tsc" }, { allowedPaths: [folder] })).toMatchObject({
    success: true,
  });
  expect(ran()).toEqual(["tsc"]);
});
