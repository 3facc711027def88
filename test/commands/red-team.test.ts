import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCommandGate } from "../support/command-gate.ts";

const gate = openCommandGate();
afterAll(() => gate[Symbol.asyncDispose]());
mkdirSync(join(gate.folder, "q"), { recursive: true });

test.for([
  ["a substitution glued to a word", "echo 1<(rm -f notes.txt)"],
  ["one with a descriptor of a variable", "ls {fd}<(rm -f notes.txt)"],
  ["a break in an operator", "cat <<\\\n-END\nEND\nrm -f notes.txt\n-"],
  ["a break behind a dollar", "x='rm -f notes.txt'; $\\\nx"],
  ["a break in arithmetic", "x='a[$(rm -f notes.txt)]'; echo $\\\n[x]"],
  ["several options of set", "set -o history -o histexpand -o pipefail\necho rm -f notes.txt\n!!:1-3"],
  ["a format that sets a variable", "printf '%s%n' xx PATH; ls"],
  ["a dash before a shell's script", "bash -c - 'rm -f notes.txt'"],
  ["an option with a plus", "sh -c +e 'rm -f notes.txt'"],
  ["several options of a shell", "bash -o keyword -o pipefail -c 'ls PATH=2'"],
  ["a variable of any name", "env %=x pytest"],
  ["an environment that is emptied", "env - pytest"],
  ["an optional value that is a file, of od", "od -c -w secret/.env"],
  ["an optional value that is a file, of diff", "diff --context secret/.env notes.txt"],
  ["a pattern of git's own", "git add 'secret/.e*v'"],
  ["a secret in git's index", "git show :0:secret/.env"],
  ["a branch that is made elsewhere", "git switch -cq old"],
  ["a branch that is checked out elsewhere", "git checkout -bq old"],
] as const)("%s asks, in a sandbox too", async ([, command]) => {
  expect(await gate.decide(command)).not.toBe("allow");
  expect(await gate.decideConfined(command)).not.toBe("allow");
});
