import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { UndoFolder, Workspace } from "../../src/host/index.ts";
import { analyseCommand, commandEffects } from "../../src/modules/shell/command/index.ts";
import { openCommandGate } from "../support/command-gate.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-reasons-")));
const folder = join(base, "work");
for (const path of [".git/hooks", "plain"]) mkdirSync(join(folder, path), { recursive: true });
for (const path of ["a.txt", ".env", "plain/b.js"]) writeFileSync(join(folder, path), "x");
writeFileSync(join(folder, ".git/config"), "[core]\n\tbare = false\n");
const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")) });
const gate = openCommandGate();
afterAll(async () => {
  rmSync(base, { recursive: true });
  await gate[Symbol.asyncDispose]();
});

async function runs(command: string) {
  const context = { allowedPaths: [folder] };
  const effects = await commandEffects(analyseCommand(command), {
    workspace,
    context,
    cwd: folder,
    hasProgram: () => true,
    programs: { find: () => undefined },
  });
  return effects.filter(({ kind }) => kind === "run");
}

/** Why anything of a line asks; undefined where all of it may pass. */
async function whyAsked(command: string): Promise<string | undefined> {
  const asking = (await runs(command)).filter(({ within, routine }) => !within && routine !== true);
  for (const { asks, unclear } of asking) expect([asks, unclear].filter(Boolean)).toHaveLength(1);
  return asking.map(({ asks, unclear }) => asks ?? unclear)[0];
}

describe("a command that asks says why", () => {
  test.for<[string, string]>([
    ["unknown a.txt", "it names a.txt, which is there"],
    ["unknown ../x", "it names ../x, outside the allowed folders"],
    ["unknown .env", "unknown names .env, which may hold secrets"],
    ["npm test", "npm starts code that the project"],
    ["git push", "not among the forms of git"],
    ["ls | unknown", "what unknown is to do may come from a pipe"],
    ["sort -o x a.txt", "known to only read, but not with -o"],
    ["unknown a*", "a pattern says which files unknown gets"],
    ["echo x > new.txt", "may be there by then"],
    ["echo x >> a.txt", "it adds to what is there"],
    ["./x", "x is started by its path"],
    ["rm new.txt", "it has a known risk"],
    ["git add -A", "git would take in .env, which may hold secrets"],
    ["grep -r TODO .", "every file below . is read, .env among them"],
  ])("%s: %s", async ([command, why]) => {
    expect(await whyAsked(command)).toContain(why);
  });

  test("for want of a sandbox where there is none, and never of what is known to only read", async () => {
    expect((await gate.effects("unknown"))[0]?.asks).toBe("no sandbox keeps it to the allowed folders");
    expect((await gate.effects("ls"))[0]?.asks).toBeUndefined();
    expect((await gate.effects("$x"))[0]?.asks).toBeUndefined();
  });
});

describe("runs unasked in a sandbox", () => {
  test.for([
    "git add plain",
    "git add -p a.txt",
    "grep -r TODO plain",
    "ps aux",
    "node -v",
    "node --version",
    "npm -v",
    "npm version",
    "awk '{print $1}' a.txt",
    "awk -F: 'NR>1 {print $1, \"x\", $NF}' a.txt",
  ])("%s", async (command) => {
    expect(await whyAsked(command)).toBeUndefined();
  });

  test.for([
    "ps auxe",
    "ps ax e",
    "node -v x.js",
    "node a.txt",
    "npm version patch",
    "npm version --no-git-tag-version 1.0.0",
    "python -v",
    "awk '{system($1)}' a.txt",
    "awk '{print > $1}' a.txt",
    "awk '{print | \"sh\"}' a.txt",
    "awk '{print $1}' > out a.txt",
    "awk 'BEGIN {while ((\"ls\" | getline x) > 0) print x}'",
    "awk -f a.txt",
    "awk -i inplace '{print $1}' a.txt",
    "awk '@load \"x\"; {print $1}' a.txt",
    "awk '{print $1}' a=b",
    "git add -f plain",
    "git add :/",
    "git add '*.txt'",
    "git add .",
    "git add -u",
    "git add .env",
  ])("asks: %s", async (command) => {
    expect(await whyAsked(command)).toBeDefined();
  });

  test("git takes in all of a tree where what may hold secrets is ignored, by git and nobody else", async () => {
    writeFileSync(join(folder, ".gitignore"), ".env\n");
    for (const command of ["git add -A", "git add .", "git add --all", "git add -u"]) {
      expect([command, await whyAsked(command)]).toEqual([command, undefined]);
    }
    rmSync(join(folder, ".gitignore"));
    writeFileSync(join(folder, ".ignore"), ".env\n");
    expect(await whyAsked("git add -A")).toBeDefined();
    rmSync(join(folder, ".ignore"));
  });
});
