import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { applyRecipe, changeText, readRecipe } from "./support/apply-recipe.ts";

const root = mkdtempSync(join(tmpdir(), "haft-recipes-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const recipes = globSync("docs/recipes/*.md").sort().map(readRecipe);
const commands = [...new Set(recipes.flatMap((recipe) => recipe.commands))];
const vitest = /^npx vitest run /;

/** What was printed, where a program left with a fault. */
function run(program: string, ...args: readonly string[]): string {
  try {
    execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return `${program} ${args.join(" ")}\n${stdout}${stderr}`;
  }
}

test("every recipe, followed to the letter, one after another, works", { timeout: 900_000 }, () => {
  const copied =
    "src console test scripts examples docs bin package.json package-lock.json vitest.config.ts biome.json .oxlintrc.json";
  const files = globSync([...copied.split(" "), "tsconfig*.json", "haft.config.schema.json"]);
  for (const file of files)
    cpSync(file, join(root, file), { recursive: true, filter: (path) => !path.includes("node_modules") });
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  for (const recipe of recipes) applyRecipe(recipe, root);
  const paths = [...new Set(recipes.flatMap(({ steps }) => steps.map(({ path }) => path)))];
  expect(run("npx", "biome", "check", ...paths)).toBe("");
  const own = commands.filter((command) => !vitest.test(command));
  for (const command of own) expect(run("sh", "-c", command)).toBe("");
  expect(run("npx", "tsc", "-p", "tsconfig.json")).toBe("");
  expect(run("npx", "oxlint", "--type-aware", "--deny-warnings", ...paths)).toBe("");
  for (const words of joinRuns(commands.filter((command) => vitest.test(command))))
    expect(run("npx", "vitest", "run", ...words)).toBe("");
});

/** One run for all files of the same options, and the tests of what holds for every file, since a start takes seconds. */
function joinRuns(lines: readonly string[]): string[][] {
  const words = lines.map((line) => line.replace(vitest, "").split(" "));
  const groups = Map.groupBy([["test/architecture.test.ts", "test/comments.test.ts"], ...words], (one) =>
    one.filter((word) => word.startsWith("--")).join(" "),
  );
  return Array.from(groups.values(), (group) => [...new Set(group.flat())]);
}

test("a recipe has at least one command, and every block of it a file", () => {
  expect(recipes.filter((recipe) => recipe.commands.length === 0)).toEqual([]);
  const page = join(root, "page.md");
  writeFileSync(page, "```ts\nconst a = 1;\n```\n");
  expect(() => readRecipe(page)).toThrow("page.md:1: the block names no file");
});

test("a change puts its added lines beside the others", () => {
  const diff = [" a", "-b", "+B", "@@", "+first", " c"];
  expect(changeText("a\nb\nx\nc\n", diff)).toBe("a\nB\nx\nfirst\nc\n");
});

test.for([
  ["a context line that is gone", "a\nx\nc\n", 0],
  ["a context line that is longer now", "a\nbb\nc\n", 0],
  ["lines that are there twice", "b\nc\nb\nc\n", 2],
] as const)("a change is refused for %s", ([, text, times]) => {
  expect(() => changeText(text, [" b", "+new", " c"])).toThrow(`in it ${times} times, not once`);
});

test("a file that is there already is not written over", () => {
  const page = join(root, "file.md");
  writeFileSync(page, "```ts made/file.ts\nconst a = 1;\n```\n");
  mkdirSync(dirname(join(root, "made/file.ts")));
  writeFileSync(join(root, "made/file.ts"), "");
  expect(() => applyRecipe(readRecipe(page), root)).toThrow("file.md:1 in made/file.ts: EEXIST");
});
