import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { completeExample, readApi } from "../scripts/read-api.ts";
import { toProgram } from "./support/api-examples.ts";
import { TypeScriptProject } from "./support/typescript-project.ts";

const api = readApi();
const seen = new Set<string>();
/** Every example once, whichever subpaths export its name. */
const examples = api.flatMap((subpath) =>
  subpath.names.flatMap(({ name, file, examples: codes }) => {
    if (seen.has(`${file} ${name}`)) return [];
    seen.add(`${file} ${name}`);
    return codes.map((code, at) => ({
      file: `${subpath.name.replaceAll("/", "-")}-${name}-${at}.ts`,
      ...toProgram(completeExample(code, subpath, api)),
    }));
  }),
);

const project = new TypeScriptProject([
  ...examples.map(({ file, program }) => [file, program] as const),
  [
    "globals.d.ts",
    "declare function same<Given>(given: Given, expected: NoInfer<Awaited<Given>>): Promise<void>;\n",
  ],
]);
afterAll(() => project[Symbol.dispose]());

test("every example has a line that says what comes of it", () => {
  expect(examples.filter(({ promises }) => promises === 0).map(({ file }) => file)).toEqual([]);
});

test("every example compiles", async () => {
  expect(await project.compile()).toBe("");
});

test("every example runs, and gives what its comments say", async () => {
  const files = examples.map(({ file }) => file);
  const { folder } = project;
  await promisify(execFile)(
    process.execPath,
    ["--conditions=haft-source", resolve("test/fixtures/run-examples.ts"), folder, ...files],
    { timeout: 50_000, env: { ...process.env, HOME: folder } },
  );
  const outcomes = JSON.parse(readFileSync(join(folder, "outcomes.json"), "utf8")) as Readonly<
    Record<string, { readonly compared: number; readonly fault?: string }>
  >;
  const wrong = examples.flatMap(({ file, promises }) => {
    const { compared, fault } = outcomes[file] ?? { compared: 0, fault: "not run" };
    if (fault !== undefined) return [`${file}: ${fault}`];
    return compared < promises ? [`${file}: ${compared} of ${promises} lines compared`] : [];
  });
  expect(wrong).toEqual([]);
});
