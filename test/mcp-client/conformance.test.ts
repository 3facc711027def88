import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const suite = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/conformance", import.meta.url));
const fixture = fileURLToPath(new URL("../fixtures/mcp-client.ts", import.meta.url));

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

interface Requirements {
  readonly client: readonly string[];
}

const scenarios = ["2025-11-25", "2026-07-28"].flatMap((revision) => {
  const required = parse(
    readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8"),
  ) as Requirements;
  const own = required.client.filter((scenario) => !scenario.startsWith("auth/"));
  // Not scored, as the scenario is younger than the revisions; it has to pass all the same.
  return [...own, "json-schema-2020-12-preservation"].map((scenario) => ({ revision, scenario }));
});

test("the suite has the scenarios that this file knows", () => {
  expect(scenarios).toHaveLength(4 + 1 + 7 + 1);
});

test.for(scenarios)(
  "the official conformance suite finds nothing in the client: $scenario of $revision",
  { timeout: 60_000 },
  async ({ revision, scenario }) => {
    const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
    try {
      const { code, said } = await run([
        "client",
        "--command",
        `${process.execPath} ${fixture}`,
        "--scenario",
        scenario,
        "--spec-version",
        revision,
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
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as Check[]);
}
