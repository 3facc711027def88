import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";

const suite = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/conformance", import.meta.url));
const fixture = fileURLToPath(new URL("../fixtures/mcp/server.ts", import.meta.url));
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  server = spawn(process.execPath, [fixture, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(server.stdout as NonNullable<typeof server.stdout>, "data")) as [Buffer];
  url = said.toString().trim();
});

afterAll(async () => {
  server.kill();
  await once(server, "exit");
});

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

interface Requirements {
  readonly server: readonly string[];
  readonly not_scored: readonly {
    readonly scenario: string;
    readonly leg: string;
    readonly reason: string;
  }[];
}

test.for([
  { revision: "2025-11-25", required: 30 },
  { revision: "2026-07-28", required: 37 },
])("the official conformance suite finds nothing against $revision", async ({ revision, required }) => {
  const requirements = parse(
    readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8"),
  ) as Requirements;
  expect(requirements.server).toHaveLength(required);
  const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
  try {
    expect(await run(["server", "--url", url, "--requirements", revision, "-o", folder])).toBe(0);
    const checks = readChecks(folder);
    expect([...checks.keys()]).toEqual(expect.arrayContaining([...requirements.server]));
    // Tasks are an extension that haft does not have; every other scenario that is not scored has to pass too.
    const tasks = requirements.not_scored.filter(({ reason }) => reason === "extension");
    for (const { scenario } of tasks) checks.delete(scenario);
    const found = [...checks].flatMap(([scenario, its]) =>
      its
        .filter(({ status }) => status !== "SUCCESS" && status !== "INFO")
        .map((check) => ({ scenario, ...check })),
    );
    expect(found).toEqual([]);
    for (const scenario of requirements.server) {
      expect(
        checks.get(scenario)?.filter(({ status }) => status === "SUCCESS").length,
        scenario,
      ).toBeGreaterThan(0);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(suite, "dist/index.js"), ...args], { maxBuffer: 1e8 }, (error) =>
      resolve(error === null ? 0 : Number(error.code ?? 1)),
    );
  });
}

/** The checks of each scenario that was run. */
function readChecks(folder: string): Map<string, readonly Check[]> {
  const checks = new Map<string, readonly Check[]>();
  for (const name of readdirSync(folder)) {
    const scenario = /^server-(.+?)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1];
    const file = join(folder, name, "checks.json");
    if (scenario !== undefined && existsSync(file))
      checks.set(scenario, JSON.parse(readFileSync(file, "utf8")) as Check[]);
  }
  return checks;
}
