import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runSuite, type SuiteRun, suite } from "../support/conformance-suite.ts";

const patience = 120_000;

/** No revision requires them, or scores them; haft has to pass them all the same. */
const more = [
  "json-schema-2020-12-preservation",
  "auth/client-credentials-basic",
  "auth/client-credentials-jwt",
];

function required(revision: string): readonly string[] {
  const { client } = parse(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8")) as {
    readonly client: readonly string[];
  };
  return client;
}

const revisions = ["2025-11-25", "2026-07-28"].map((revision) => ({
  revision,
  scenarios: required(revision),
}));

test("the suite has the scenarios that this file knows", () => {
  const scenarios = revisions.flatMap((one) => one.scenarios);
  const auth = scenarios.filter((scenario) => scenario.startsWith("auth/"));
  expect(auth).toHaveLength(14 + 25);
  expect(scenarios.length - auth.length).toBe(4 + 7);
});

function expectNothingFound(run: SuiteRun, scenario: string): void {
  const { checks = [], succeeded, said } = run.scenarios.get(scenario) ?? {};
  const all = `${run.said}\n${said}`;
  const found = checks.filter(({ status }) => !["SUCCESS", "INFO", "SKIPPED"].includes(status));
  expect(found, all).toEqual([]);
  expect(succeeded, all).toBe(true);
  expect(checks.filter(({ status }) => status === "SUCCESS").length, all).toBeGreaterThan(0);
}

describe.for(revisions)(
  "the official conformance suite finds nothing in the client: $revision",
  ({ revision, scenarios }) => {
    let run: SuiteRun;
    beforeAll(async () => {
      run = await runSuite("--requirements", revision);
    }, patience);

    test("all that it requires", () => {
      expect(run.exitCode, run.said).toBe(0);
      expect([...run.scenarios.keys()]).toEqual(expect.arrayContaining([...scenarios]));
    });

    test.for([...scenarios, ...more])("%s", (scenario) => expectNothingFound(run, scenario));
  },
);
