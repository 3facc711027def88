import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentSetupErrorCodes, recordsErrorCodes } from "../app/errors.ts";
import { configErrorCodes, pinErrorCodes } from "../app/index.ts";
import { hostErrorCodes } from "../host/index.ts";
import { toolErrorCodes } from "../kernel/index.ts";
import { modelErrorCodes } from "../model/index.ts";
import { secretErrorCodes } from "../modules/secrets/index.ts";
import { sessionErrorCodes } from "../modules/sessions/index.ts";
import { taskErrorCodes } from "../modules/tasks/index.ts";
import { todoErrorCodes } from "../modules/todos/index.ts";
import { bridgeErrorCodes, sourceErrorCodes } from "../sources/index.ts";
import { cliErrorCodes } from "./errors.ts";
import { exitCodeMeanings, exitCodes, toExitCode } from "./exit-codes.ts";

test.for([
  ["TOOL_NOT_FOUND", 3],
  ["TOOL_VALIDATION", 2],
  ["TOOL_PERMISSION", 4],
  ["TOOL_BLOCKED", 4],
  ["TOOL_TIMEOUT", 5],
  ["TOOL_BUSY", 6],
  ["TOOL_CANCELLED", 130],
  ["TOOL_FAILED", 1],
  ["PATH_OUTSIDE", 4],
  ["SANDBOX_REFUSED", 4],
  ["LISTEN_BUSY", 6],
  ["SECRET_NAME", 2],
  ["SECRET_NOT_FOUND", 3],
  ["CONFIG_INVALID", 78],
  ["toString", 1],
] as const)("toExitCode(%s) is %i", ([code, exit]) => {
  expect(toExitCode(code)).toBe(exit);
});

test("toExitCode() has something to say of every code of the configuration and the command line", () => {
  const unspecific = [...configErrorCodes, ...cliErrorCodes].filter(
    (code) => toExitCode(code) === exitCodes.failed,
  );
  expect(unspecific).toEqual(["CLI_FILE"]);
});

test("docs/reference/exit-codes.md is the table", () => {
  const page = readFileSync(new URL("../../docs/reference/exit-codes.md", import.meta.url), "utf8");
  const rows = Array.from(
    page.matchAll(/^\| (\d+) +\| (.*?) +\| (.*?) +\|$/gm),
    ([, code, meaning, codes]) => ({
      code: Number(code),
      meaning,
      codes: codes?.match(/[A-Z_]+/g) ?? [],
    }),
  );
  const all = [
    ...toolErrorCodes,
    ...hostErrorCodes,
    ...configErrorCodes,
    ...cliErrorCodes,
    ...pinErrorCodes,
    ...secretErrorCodes,
    ...bridgeErrorCodes,
    ...sourceErrorCodes,
    ...agentSetupErrorCodes,
    ...recordsErrorCodes,
    ...sessionErrorCodes,
    ...taskErrorCodes,
    ...todoErrorCodes,
    ...modelErrorCodes,
  ];
  const expected = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map((name) => {
    const code = exitCodes[name];
    return {
      code,
      meaning: exitCodeMeanings[name],
      codes: name === "failed" ? ["TOOL_FAILED"] : all.filter((each) => toExitCode(each) === code),
    };
  });
  expect(rows).toEqual(expected);
});
