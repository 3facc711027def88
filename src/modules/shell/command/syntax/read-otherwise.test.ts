import { expect, test } from "vitest";
import { analyseCommand } from "../index.ts";

/** Why some part of a line is not let pass by itself. */
function objections(line: string): string[] {
  return analyseCommand(line).parts.flatMap(({ opaque, against }) => opaque ?? against ?? []);
}

test.for([
  // An option has a value only behind "=": what follows is the program.
  ["echo a | xargs --max-lines rm echo", "an argument of it is not fixed"],
  ["echo a | xargs --replace rm echo {}", "an argument of it is not fixed"],
  // … or the file to be shown.
  ["git show --pretty HEAD:.env", "it is not among the forms of git that are known to lose nothing"],
  ["git show --pretty 1a2b3c4", expect.stringContaining("by its id")],
  ["git show --abbrev 1a2b3c4", expect.stringContaining("by its id")],
  // A file of words.
  ["strings @names", expect.stringContaining("strings")],
  ["strings *", expect.stringContaining("not fixed")],
  // A key is evaluated.
  ["x='b[$(rm a)]'; a=([x]=1)", expect.stringContaining("evaluated")],
  ["x='b[$(rm a)]'; a+=([$x]=1)", expect.stringContaining("evaluated")],
  // Other shells.
  ["sh -c '[[ x || rm == a ]]'", "sh reads its script in a way of its own"],
  ["sh -c '[[ x > a ]]'", "sh reads its script in a way of its own"],
  ["dash -c $'echo $\\'\\\\\\'\\nrm a\\n: \\\\\\'\\''", "dash reads its script in a way of its own"],
  ["zsh -c 'path=. ; ls'", "zsh reads its script in a way of its own"],
  ["zsh -c \"echo *(e:'rm a':)\"", "zsh reads its script in a way of its own"],
] as const)("what a program reads otherwise than it looks is not let pass: %s", ([line, why]) => {
  expect(objections(line)).toContainEqual(why);
});

test.for([
  "echo a | xargs --replace echo {}",
  "echo a | xargs --max-lines=2 echo",
  "git show --pretty --abbrev -- a",
  "strings -n 5 a",
  "a=(1 [2]=x); echo ${a[2]}",
  `sh -c 'ls 2>&1 | head -5; echo $((1+1)) "$(pwd)"'`,
  "bash -c '[[ -n x ]] && ls'",
])("what is read as it looks is: %s", (line) => {
  expect(objections(line)).toEqual([]);
});
