import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCommandGate } from "../support/command-gate.ts";
import { countLabelled, judgeLabelled, programsNamed, readLabelled } from "../support/labelled-commands.ts";

function readCorpus(files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-labelled-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), lines.join("\n"));
  return folder;
}

const line = (command: string, expected: string) => JSON.stringify({ command, expect: expected });

test("a corpus of labelled commands is counted by file, with what it names as installed", async () => {
  const commands = readLabelled(
    readCorpus({
      "a.jsonl": [line("cat notes.txt", "allow"), line("rm notes.txt", "allow"), ""],
      "b.jsonl": [line("no-such-cli clusters delete x", "deny"), line("ls", "deny")],
      "notes.md": ["not read"],
    }),
  );
  await using gate = openCommandGate({ programs: programsNamed(commands), undo: true });
  const judged = await judgeLabelled(commands, gate);
  expect(judged.find(({ command }) => command.startsWith("rm"))?.reasons).toEqual([
    expect.stringContaining("rm notes.txt"),
  ]);
  const asks = (count: number) => ({ sandbox: count, projectYes: count, none: count });
  expect(countLabelled(judged)).toEqual([
    { file: "a.jsonl", allowed: 2, asked: asks(1), denied: 0, unasked: asks(0) },
    { file: "b.jsonl", allowed: 0, asked: asks(0), denied: 2, unasked: asks(1) },
    { file: "together", allowed: 2, asked: asks(1), denied: 2, unasked: asks(1) },
  ]);
});

test("what is no corpus is refused with what one looks like", () => {
  expect(() => readLabelled(readCorpus({ "a.txt": [] }))).toThrow(
    /no file that ends in \.jsonl; write a line/,
  );
  expect(() => readLabelled(readCorpus({ "a.jsonl": [line("ls", "allow"), "ls"] }))).toThrow(
    'a.jsonl, line 2: a line is {"command": "…", "expect": "allow"}',
  );
  expect(() => readLabelled(readCorpus({ "a.jsonl": [line("ls", "maybe")] }))).toThrow("a.jsonl, line 1");
});

test("programs are found where commands begin", () => {
  const names = programsNamed([{ command: "sudo apt-get install x && (dbx fs rm y); FOO=1 make | tee z" }]);
  expect(names).toEqual(["sudo", "apt-get", "dbx", "make", "tee"]);
});
