// The quick gate between two saves: format, types and API pages of everything; lint, and the tests beside it, of what
// changed since a commit (the last one unless told: `npm run check:fast -- main`). `npm run check` remains what decides.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname } from "node:path";

const since = process.argv[2] ?? "HEAD";
const changed = [
  ...listFiles("diff", "--name-only", "--diff-filter=d", "--relative", since),
  ...listFiles("ls-files", "--others", "--exclude-standard"),
];
const tests = chooseTests(changed);
const code = changed.filter((file) => /\.tsx?$/.test(file));

run("biome", "check", ".");
run(
  "tsc",
  "-p",
  "tsconfig.json",
  "--incremental",
  "--tsBuildInfoFile",
  "node_modules/.cache/check-fast.tsbuildinfo",
);
run("tsc", "-p", "tsconfig.kernel.json");
run("tsc", "-b", "console");
run("node", "scripts/docs-api.ts", "--check");
if (code.length > 0) run("oxlint", "--type-aware", "--deny-warnings", ...code);
if (tests.length > 0) run("vitest", "run", ...tests);
else process.stdout.write(`No test concerns what changed since ${since}.\n`);

/** The tests that changed, those beside code that did, and those that hold its imports, comments and exports against the rules. */
function chooseTests(files: readonly string[]): string[] {
  const chosen = files.flatMap((file) =>
    file.endsWith(".test.ts")
      ? [file]
      : file.startsWith("src/")
        ? globSync(`${dirname(file)}/*.test.ts`)
        : [],
  );
  if (files.some((file) => file.startsWith("src/") && file.endsWith(".ts")))
    chosen.push("test/architecture.test.ts", "test/comments.test.ts");
  if (files.some((file) => file.startsWith("src/public/") || /^src\/.*\bindex\.ts$/.test(file)))
    chosen.push("test/public-surface.test.ts");
  if (files.includes("package-lock.json")) chosen.push("test/package-lock.test.ts");
  return [...new Set(chosen)].toSorted();
}

function listFiles(...args: string[]): string[] {
  return execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
}

/** Ends the check at the first program that finds something. */
function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
