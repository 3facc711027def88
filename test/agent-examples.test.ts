import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";

const folder = "examples/agents";
const { dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
  dependencies: Record<string, string>;
};
const missing = Object.keys(dependencies).filter((name) => !existsSync(join(folder, "node_modules", name)));
const whySkipped = `${missing.join(", ")} not installed; \`npm ci --prefix ${folder}\` installs them`;

const run = promisify(execFile);

describe("examples/agents", () => {
  beforeEach((context) => context.skip(missing.length > 0, whySkipped));

  test.each(["ai-sdk", "openai-agents", "langchain", "mastra"])(
    "%s reads a picture, asks its person in its own way, and writes what was approved",
    async (name) => {
      const { stdout } = await run(process.execPath, ["--conditions=haft-source", `${folder}/${name}.ts`]);
      expect(stdout).toBe("I have written the report.\n");
    },
  );

  // The declarations of all four are read: minutes on a busy machine.
  test("fit the types of the four frameworks", { timeout: 300_000 }, async () => {
    const tsc = "node_modules/typescript/bin/tsc";
    await expect(run(process.execPath, [tsc, "-p", folder])).resolves.toMatchObject({ stdout: "" });
  });
});

test("the packages of the examples are in exact versions, from no particular registry", () => {
  expect(Object.values(dependencies).filter((version) => !/^\d|^file:/.test(version))).toEqual([]);
  expect(readFileSync(`${folder}/package-lock.json`, "utf8")).not.toMatch(/"resolved": "https?:/);
});
