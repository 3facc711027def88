import { globSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { analyseCommand, findRisk } from "../../src/modules/shell/command/index.ts";
import { openCommandGate } from "../support/command-gate.ts";

interface Case {
  readonly test: string;
  readonly expect_ids: readonly string[];
}

const cases = globSync("test/corpora/commands/shellfirm/*.yaml").flatMap(
  (file) => parse(readFileSync(file, "utf8")) as Case[],
);
/** Among them `git add .` and three other ways to write it, which ask here since the folder holds a secret. */
const dangerous = cases.filter(({ expect_ids }) => expect_ids.length > 0).map((one) => one.test);
const harmless = cases.filter(({ expect_ids }) => expect_ids.length === 0).map((one) => one.test);

/** Those of the corpus that there are: what is not installed does nothing. */
const programs =
  "aws az docker fly flyctl gcloud gsutil gh heroku helm kubectl k mysql netlify ntl npm psql redis-cli vercel terraform crontab".split(
    " ",
  );
const gate = openCommandGate({ programs });
afterAll(() => gate[Symbol.asyncDispose]());

interface Where {
  readonly confined: boolean;
}

async function asked(commands: readonly string[], { confined }: Where): Promise<string[]> {
  const decisions = await Promise.all(
    commands.map(async (command) => ({
      command,
      is: await (confined ? gate.decideConfined(command) : gate.decide(command)),
    })),
  );
  return decisions.filter(({ is }) => is !== "allow").map(({ command }) => command);
}

function atRisk(commands: readonly string[]): string[] {
  return commands.filter((command) => findRisk(analyseCommand(command)).level !== "low");
}

test("every dangerous command of shellfirm's is asked for, in a sandbox too, and shows a risk", async () => {
  expect(dangerous).toHaveLength(1060);
  expect(await asked(dangerous, { confined: false })).toEqual(dangerous);
  expect(await asked(dangerous, { confined: true })).toEqual(dangerous);
  expect(atRisk(dangerous)).toEqual(dangerous);
});

test("of shellfirm's counterexamples most run unasked in a sandbox; the others are harmless to its rules, not to everyone", async () => {
  expect(harmless).toHaveLength(368);
  const confined = await asked(harmless, { confined: true });
  expect({
    asked: (await asked(harmless, { confined: false })).length,
    askedConfined: confined.length,
    askedConfinedWithoutRisk: confined.filter((command) => atRisk([command]).length === 0).length,
    risk: atRisk(harmless).length,
  }).toEqual({ asked: 358, askedConfined: 174, askedConfinedWithoutRisk: 54, risk: 141 });
});
