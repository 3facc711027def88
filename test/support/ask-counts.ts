import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { CommandGate } from "./command-gate.ts";

/** Lines of commands, in groups. */
export type Corpora = Readonly<Record<string, readonly string[]>>;

/** What an agent runs on an ordinary day, 141 lines. */
export function everydayCommands(): Corpora {
  return JSON.parse(readFileSync("test/corpora/commands/everyday.json", "utf8")) as Corpora;
}

interface ShellfirmCase {
  readonly test: string;
  readonly expect_ids: readonly string[];
}

/** What must never run unasked: shellfirm's 1,060 and our 464, which destroy a file or rewrite a remote's history. */
export function dangerousCommands(): Corpora {
  const shellfirm = globSync("test/corpora/commands/shellfirm/*.yaml").flatMap(
    (file) => parse(readFileSync(file, "utf8")) as ShellfirmCase[],
  );
  const effect = JSON.parse(readFileSync("test/corpora/commands/destructive.json", "utf8")) as Corpora;
  return {
    shellfirm: shellfirm.filter(({ expect_ids }) => expect_ids.length > 0).map((one) => one.test),
    ...effect,
  };
}

/** Programs that the lines name; all of them count as installed. */
export const programsOfAsks: readonly string[] =
  "aws az docker fly flyctl gcloud gsutil gh heroku helm kubectl k mysql netlify ntl npm psql redis-cli vercel terraform crontab make python python3 pip tree rg jq cargo go pytest tsc pnpm yarn".split(
    " ",
  );

const files: Readonly<Record<string, string>> = {
  "README.md": "# Project\nfoo: bar\n",
  "package.json": `${JSON.stringify({ name: "project", scripts: { test: "vitest", build: "tsc" }, dependencies: {} })}\n`,
  "tsconfig.json": "{}\n",
  Makefile: "test:\n\ttrue\n",
  "data.csv": "a,b\n",
  "requirements.txt": "requests\n",
  "index.js": "console.log(1);\n",
  "src/app.ts": "export const foo = 1;\n",
  "src/util.ts": "export function two() {}\n",
  "tests/test_app.py": "def test(): pass\n",
  "lib/other.ts": "export {};\n",
  "scripts/check.sh": "#!/bin/sh\ntrue\n",
  "scripts/build.js": "",
  "scripts/seed.py": "",
  ".gitignore": "node_modules\nbuild\n",
};

/** An ordinary project: a repository with two commits, and nothing changed since. */
export function plantProject(folder: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  git("init", "-q", "--template=", "-b", "main");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git("add", ...Object.keys(files));
  git("commit", "-q", "-m", "one");
  git("commit", "-q", "--allow-empty", "-m", "two");
}

/** Beside the project, what the destructive lines destroy: files that git does not have. */
export function plantCanary(folder: string): void {
  plantProject(folder);
  for (const name of ["canary/d", "empty"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["canary/f", "canary/d/g"]) writeFileSync(join(folder, name), "data");
  writeFileSync(join(folder, "keep.txt"), "keep\n");
  execFileSync("git", ["add", "keep.txt"], { cwd: folder });
}

/** Whether a command asks, in different circumstances. */
export interface AskedIn {
  /** In a sandbox that keeps its promises. */
  readonly sandbox: boolean;
  /** The same, once the owner let the project's own programs run. */
  readonly projectYes: boolean;
  /** Without any such sandbox. */
  readonly none: boolean;
}

export async function judgeCommand(command: string, gate: CommandGate): Promise<AskedIn> {
  return {
    sandbox: (await gate.decideConfined(command)) !== "allow",
    projectYes: !(await gate.runsWithProjectYes(command)),
    none: (await gate.decide(command)) !== "allow",
  };
}

/** The lines that ask, by circumstance. */
export type AskedLines = Readonly<Record<keyof AskedIn, readonly string[]>>;

export async function countAskedLines(lines: readonly string[], gate: CommandGate): Promise<AskedLines> {
  const judged: (readonly [line: string, asks: AskedIn])[] = [];
  for (const line of lines) judged.push([line, await judgeCommand(line, gate)]);
  const asking = (one: keyof AskedIn) => judged.flatMap(([line, asks]) => (asks[one] ? [line] : []));
  return { sandbox: asking("sandbox"), projectYes: asking("projectYes"), none: asking("none") };
}
