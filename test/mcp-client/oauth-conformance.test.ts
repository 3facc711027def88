import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

const required = ["2025-11-25", "2026-07-28"].flatMap((revision) => {
  const { client } = parse(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8")) as {
    readonly client: readonly string[];
  };
  return client
    .filter((scenario) => scenario.startsWith("auth/"))
    .map((scenario) => ({ revision, scenario }));
});
// Not scored by any revision; haft has to pass them all the same.
const extensions = ["auth/client-credentials-basic", "auth/client-credentials-jwt"].map((scenario) => ({
  revision: "extension",
  scenario,
}));

test("the suite has the auth scenarios that this file knows", () => {
  expect(required).toHaveLength(14 + 25);
});

test.for([...required, ...extensions])(
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
        ...(revision === "extension" ? [] : ["--spec-version", revision]),
        "-o",
        folder,
      ]);
      const checks = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith("checks.json"))
        .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Check[]);
      expect(
        checks.filter(({ status }) => !["SUCCESS", "INFO", "SKIPPED"].includes(status)),
        said,
      ).toEqual([]);
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
