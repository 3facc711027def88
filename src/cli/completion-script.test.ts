import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../test/support/needs.ts";
import { type CompletedCommand, completionShells, renderCompletion } from "./completion-script.ts";

const commands: readonly CompletedCommand[] = [
  {
    name: "call",
    summary: "Call one tool, through the gate",
    options: [
      { name: "--arg", summary: "one argument" },
      { name: "--yes", summary: "answer yes; rules that deny don't change" },
    ],
    words: [],
    toolAfter: [""],
    serverAfter: [],
    taskAfter: [],
  },
  {
    name: "tools",
    summary: "List tools",
    options: [{ name: "--cost", summary: "count" }],
    words: ["list", "show"],
    toolAfter: ["show"],
    serverAfter: ["review"],
    taskAfter: ["done"],
  },
];

const bash = spawnSync("bash", ["--version"]).status === 0;

/** What bash offers for a line; a stand-in for haft names the tools. */
function offered(...line: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "haft-completion-"));
  try {
    const script = join(folder, "haft.bash");
    writeFileSync(script, renderCompletion("bash", commands));
    const words = line.map((word) => `'${word}'`).join(" ");
    const test = `haft() { [[ "$*" == "__names tools" ]] && printf 'grep\\nglob\\nread\\n'; [[ "$*" == "__names tasks" ]] && printf 'brave-fox\\n'; }
source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _haft; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const answer = execFileSync("bash", ["--norc", "-c", test], { encoding: "utf8" });
    return answer.split("\n").filter((word) => word !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("renderCompletion() for bash offers commands, words, tools and options", needs("bash", bash), () => {
  expect(offered("haft", "")).toEqual(["call", "tools", "help"]);
  expect(offered("haft", "t")).toEqual(["tools"]);
  expect(offered("haft", "tools", "")).toEqual(["list", "show"]);
  expect(offered("haft", "tools", "show", "g")).toEqual(["grep", "glob"]);
  expect(offered("haft", "tools", "done", "")).toEqual(["brave-fox"]);
  expect(offered("haft", "call", "r")).toEqual(["read"]);
  expect(offered("haft", "call", "grep", "--")).toEqual(["--arg", "--yes"]);
  expect(offered("haft", "help", "ex")).toEqual(["exit-codes"]);
});

test.for(completionShells)("renderCompletion() for %s is a script that its shell can read", (shell) => {
  const script = renderCompletion(shell, commands);
  expect(script).toContain("haft __names tools");
  const check = spawnSync(shell, ["-n"], { input: script, encoding: "utf8" });
  // If the shell is not on the machine, only the text was checked.
  if (check.error === undefined) expect(check).toMatchObject({ status: 0, stderr: "" });
});

test("renderCompletion() quotes what a summary brings along", () => {
  expect(renderCompletion("fish", commands)).toContain("-d 'answer yes; rules that deny don'\\''t change'");
  expect(renderCompletion("zsh", commands)).toContain("'--yes:answer yes; rules that deny don'\\''t change'");
});
