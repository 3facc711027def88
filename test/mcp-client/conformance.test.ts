import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const suite = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/conformance", import.meta.url));
const fixture = fileURLToPath(new URL("../fixtures/mcp-client.ts", import.meta.url));

interface Scenario {
  readonly scenario: string;
  /** Absent: one that no revision scores. haft has to pass it all the same. */
  readonly revision?: string;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function required(revision: string): Scenario[] {
  const { client } = parse(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8")) as {
    readonly client: readonly string[];
  };
  return [...client, "json-schema-2020-12-preservation"].map((scenario) => ({ scenario, revision }));
}

const extensions = ["auth/client-credentials-basic", "auth/client-credentials-jwt"].map(
  (scenario): Scenario => ({ scenario }),
);
const scenarios = [...["2025-11-25", "2026-07-28"].flatMap(required), ...extensions];

test("the suite has the scenarios that this file knows", () => {
  const auth = scenarios.filter(({ scenario }) => scenario.startsWith("auth/"));
  expect(auth).toHaveLength(14 + 25 + extensions.length);
  expect(scenarios.length - auth.length).toBe(4 + 1 + 7 + 1);
});

test.for(scenarios)(
  "the official conformance suite finds nothing in the client: $scenario of $revision",
  { timeout: 60_000 },
  async ({ scenario, revision }) => {
    const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
    try {
      const version = revision === undefined ? [] : ["--spec-version", revision];
      const command = ["--command", `${process.execPath} ${fixture}`];
      const { code, said } = await run([
        "client",
        ...command,
        "--scenario",
        scenario,
        ...version,
        "-o",
        folder,
      ]);
      const checks = readChecks(folder);
      const found = checks.filter(({ status }) => !["SUCCESS", "INFO", "SKIPPED"].includes(status));
      expect(found, said).toEqual([]);
      expect(code, said).toBe(0);
      expect(checks.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

function run(args: readonly string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(suite, "dist/index.js"), ...args],
      { maxBuffer: 1e8 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: `${stdout}\n${stderr}` }),
    );
  });
}

function readChecks(folder: string): Check[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("checks.json"))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Check[]);
}
