import { globSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { analyseCommand, riskOf } from "../../src/tools/shell/command/index.ts";
import { openCommandGate } from "../support/command-gate.ts";

interface Case {
  readonly test: string;
  readonly expect_ids: readonly string[];
}

const cases = globSync("test/corpora/commands/shellfirm/*.yaml").flatMap(
  (file) => parse(readFileSync(file, "utf8")) as Case[],
);
const dangerous = cases.filter(({ expect_ids }) => expect_ids.length > 0).map((one) => one.test);
const harmless = cases.filter(({ expect_ids }) => expect_ids.length === 0).map((one) => one.test);

const gate = openCommandGate();
afterAll(() => gate[Symbol.asyncDispose]());

async function unasked(commands: readonly string[]): Promise<string[]> {
  const decisions = await Promise.all(
    commands.map(async (command) => ({ command, is: await gate.decide(command) })),
  );
  return decisions.filter(({ is }) => is === "allow").map(({ command }) => command);
}

function atRisk(commands: readonly string[]): number {
  return commands.filter((command) => riskOf(analyseCommand(command)).level !== "low").length;
}

test("none of shellfirm's dangerous commands runs unasked", async () => {
  expect(dangerous).toHaveLength(1060);
  expect(await unasked(dangerous)).toEqual([]);
});

test("every dangerous command of shellfirm's shows a risk; some harmless ones do, too", () => {
  expect({ dangerous: atRisk(dangerous), harmless: atRisk(harmless) }).toEqual({
    dangerous: 1060,
    harmless: 181,
  });
});

test("shellfirm's harmless commands that only read run unasked; the others are harmless to its rules, not to everyone", async () => {
  expect(harmless).toHaveLength(368);
  expect(await unasked(harmless)).toHaveLength(4);
});
