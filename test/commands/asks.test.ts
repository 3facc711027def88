import { afterAll, expect, test } from "vitest";
import { modeRules } from "../../src/kernel/index.ts";
import {
  countAskedLines,
  dangerousCommands,
  everydayCommands,
  plantCanary,
  plantProject,
  programsOfAsks,
} from "../support/ask-counts.ts";
import { openCommandGate } from "../support/command-gate.ts";

const gate = openCommandGate({ plant: plantProject, programs: programsOfAsks, undo: true });
const danger = openCommandGate({ plant: plantCanary, programs: programsOfAsks, undo: true });
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await danger[Symbol.asyncDispose]();
});

/** No more of each group ask than did when this was written. */
const mostAsked: Readonly<Record<string, { sandbox: number; projectYes: number; none: number }>> = {
  looks: { sandbox: 2, projectYes: 2, none: 2 },
  project: { sandbox: 30, projectYes: 0, none: 30 },
  changes: { sandbox: 1, projectYes: 1, none: 15 },
  network: { sandbox: 6, projectYes: 6, none: 7 },
  loses: { sandbox: 5, projectYes: 5, none: 9 },
};

test("of 141 everyday commands few ask in a sandbox, and fewer once the project's own programs may run", async () => {
  const everyday = everydayCommands();
  expect(Object.values(everyday).flat()).toHaveLength(141);
  for (const [group, lines] of Object.entries(everyday)) {
    const { sandbox, projectYes, none } = await countAskedLines(lines, gate);
    const most = mostAsked[group];
    expect({ group, asked: sandbox, most: sandbox.length <= (most?.sandbox ?? 0) }).toMatchObject({
      most: true,
    });
    expect({ group, asked: projectYes, most: projectYes.length <= (most?.projectYes ?? 0) }).toMatchObject({
      most: true,
    });
    expect({ group, asked: none, most: none.length <= (most?.none ?? 0) }).toMatchObject({ most: true });
  }
});

test("no dangerous command runs unasked because it could be undone, nor by a yes to the project's own programs", async () => {
  for (const lines of Object.values(dangerousCommands())) {
    const { sandbox, projectYes, none } = await countAskedLines(lines, danger);
    expect(sandbox).toEqual(lines);
    expect(projectYes).toEqual(lines);
    expect(none).toEqual(lines);
  }
});

test("a program of Windows asks, whether or not there is one of its name here", async () => {
  for (const line of ["gIt.ExE branch --delete merged", "cmd.exe /c dir", "powershell.exe -c ls"])
    expect([line, await gate.decideConfined(line)]).toEqual([line, "ask"]);
});

test("in mode auto no dangerous command with a known risk runs, nor any without a sandbox", async () => {
  for (const line of Object.values(dangerousCommands()).flat()) {
    if ((await danger.decideConfined(line, modeRules.auto)) !== "allow") continue;
    const effects = await danger.confinedEffects(line);
    expect([line, effects.some(({ risk }) => risk !== undefined)]).toEqual([line, false]);
    expect([line, await danger.decide(line, modeRules.auto)]).toEqual([line, "ask"]);
  }
});

test.for([
  "mv node_modules/x canary/f",
  "sed -i s/a/b/ .git/index",
  "truncate -s0 target/x",
  "gzip -r .",
  "git stash -u",
  "mv canary/* empty",
])("mode auto asks about %s: no snapshot holds all that it may change", async (line) => {
  expect(await danger.decideConfined(line, modeRules.auto)).toBe("ask");
});

test.for([
  "mv canary/f moved",
  "cp src/app.ts canary/f",
  "sed -i s/a/b/ canary/f",
  "sed -i 's/a/b/w other' src/app.ts",
  "sed -i 1e src/app.ts",
  "echo x >> canary/f",
  "echo x > new.txt",
  "cat nothing.txt > src/new.txt",
  "cat src/app.ts > canary/f",
  "cat src/app.ts > .git/hooks/pre-commit",
  "cat src/app.ts > src/new.ts; sh src/new.ts",
  "rm canary/f",
  "rm src/app.ts canary/f",
  "rm -r src",
  "rm -rf src/app.ts",
  "rm nothing.txt",
  "rm src/*.ts",
  "for f in canary/*; do rm $f; done",
  "for f in src/*; do rm $f; done",
  "cp src/app.ts .git/hooks/pre-commit",
  "cp secret/.env copy",
  "mv src ../outside",
  "cp src/app.ts way-out/file",
  "ls | xargs -I% mv % gone",
  "mv src/*.ts lib",
])(
  "%s asks although there are snapshots: git has not what it changes, or it leads elsewhere",
  async (line) => {
    expect(await danger.decideConfined(line)).toBe("ask");
  },
);

test.for([
  "rm src/util.ts",
  "rm -f src/util.ts src/app.ts",
  "cat src/app.ts > src/new.ts",
  "grep -n foo src/app.ts > found.txt",
])("%s does not ask in a sandbox: git has what it changes, or nothing is there", async (line) => {
  expect(await danger.decideConfined(line)).toBe("allow");
  expect(await danger.decide(line)).toBe("ask");
});

test.for([
  "git stash",
  "git stash && git stash apply",
  "git reset --soft HEAD~1",
  "git reset -q -- keep.txt",
  "git checkout -b fresh main",
])("%s does not ask in a sandbox: a snapshot and the state of git hold what it changes", async (line) => {
  expect(await danger.decideConfined(line)).toBe("allow");
  expect(await danger.decideConfined(line, modeRules.auto)).toBe("allow");
  expect(await danger.decide(line)).toBe("ask");
});

test.for([
  "echo 'x: ; rm -rf .' > Makefile; make",
  "make -f other.mk",
  "make --eval='x:;rm -rf canary' x",
  "make SHELL=/bin/rm x",
  "npm test --prefix ../outside",
  "npm run build --prefix=../outside",
  "npx -c 'rm -rf src'",
  "npx --package=evil tsc",
  "npm install",
  "node -e 'process.exit()'",
  "node --import ./x.js index.js",
  "node --test -",
  "node --test --import=./x.js",
  "node ../outside/x.js",
  "node /tmp/x.js",
  "python3 -m zipfile -c src/app.ts x",
  'python3 -c \'open("x", "w")\'',
  "git push",
])("%s is not the project's own program alone, and asks after the yes, too", async (line) => {
  expect(await gate.runsWithProjectYes(line)).toBe(false);
});
