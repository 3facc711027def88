import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { plantProject, programsOfAsks } from "../support/ask-counts.ts";
import { openCommandGate } from "../support/command-gate.ts";

const others = [
  "nested/f",
  "target/kept.txt",
  "mid/build/data.bin",
  "mid/node_modules/pkg/index.js",
  "mid/repo/f",
];
const gate = openCommandGate({
  programs: programsOfAsks,
  undo: true,
  plant(folder) {
    plantProject(folder);
    for (const name of others) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), "text\n");
    }
    execFileSync("git", ["add", "-f", "target/kept.txt"], { cwd: folder });
    for (const name of ["nested", "mid/repo"]) {
      execFileSync("git", ["init", "-q", "--template="], { cwd: join(folder, name) });
      execFileSync("git", ["add", "f"], { cwd: join(folder, name) });
    }
  },
});
afterAll(() => gate[Symbol.asyncDispose]());

test.for([
  ["sed -i s/a/b/ nested/f", "a snapshot passes over a repository below"],
  ["cp src/app.ts nested/g", "a snapshot passes over a repository below"],
  ["sed -i s/a/b/ target/kept.txt", "a snapshot leaves the folder out, though git has the file"],
  ["rm target/kept.txt", "a snapshot leaves the folder out, though git has the file"],
  ["cat src/app.ts > nested/f", "a snapshot passes over a repository below"],
  ["mv src/app.ts node_modules/new.js", "a snapshot leaves the folder out"],
  ["ln -s node_modules mid/d && cp src/app.ts mid/d/pkg/index.js", "it goes by a link that it makes"],
  ["ln -sf build mid/d && sed -i 1d mid/d/data.bin", "it goes by a link that it makes"],
  ["ln -s build mid/d && ln -sf x mid/d/data.bin", "it goes by a link that it makes"],
  ["ln -s repo mid/d && cd mid/d && git status", "git is in a repository that nobody has looked at"],
  [
    "mkdir -p x/objects x/refs && cp src/app.ts x/config && cp src/util.ts x/HEAD && cd x && git status",
    "it makes a repository of the project's files",
  ],
  ["cp src/app.ts $'\\xff.txt'", "its name is no text, and another one than was looked for"],
] as const)("%s asks in a sandbox with snapshots: %s", async ([line]) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for([
  "ln -s src/app.ts mid/app && ls -l mid",
  "ln src/app.ts copy.ts && git status",
  "cp src/app.ts 'grün.ts'",
  "mv src/app.ts mid/app.ts && git add mid/app.ts",
])("%s needs no question there: a snapshot holds what it changes", async (line) => {
  expect(await gate.decideConfined(line)).toBe("allow");
});
