import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";
import "./needs.ts";

/**
 * Closes a run with a line for each failed test, one paragraph on what could not be proven on this machine, and how to prove it,
 * and one plain line for logs that are read by programs: `12 passed, 0 failed, 1 skipped`.
 */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    const skipped: TestCase[] = [];
    const failed = unhandled.map((error) => formatFailed("outside of any test", error));
    for (const module of modules) {
      if (module.errors().length > 0) {
        count.failed++;
        failed.push(formatFailed(module.relativeModuleId, module.errors()[0]));
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        count[state]++;
        if (state === "failed")
          failed.push(formatFailed(`${module.relativeModuleId} > ${test.fullName}`, errors?.[0]));
        if (state === "skipped" && test.options.mode !== "todo") skipped.push(test);
      }
    }
    const others = count.skipped + count.pending;
    process.stdout.write(
      `\n${failed.join("")}${describeUnproven(skipped)}${count.passed} passed, ${count.failed} failed${others > 0 ? `, ${others} skipped` : ""}\n`,
    );
  }
}

/** A line that says where a test failed, and how its error begins. */
function formatFailed(where: string, error: unknown): string {
  const message = (error as { readonly message?: unknown } | undefined)?.message ?? error;
  const [begin = ""] = stripVTControlCharacters(String(message)).split("\n");
  return `Failed: ${where}: ${begin.slice(0, 300)}\n`;
}

function describeUnproven(skipped: readonly TestCase[]): string {
  if (skipped.length === 0) return "";
  const groups = Object.entries(Object.groupBy(skipped, formatReason)).map(
    ([reason, tests = []]) => [tests.length, reason] as const,
  );
  const parts = groups
    .toSorted(([one], [other]) => other - one)
    .map(([count, reason]) => `${count} ${count === 1 ? "test" : "tests"} ${reason}`);
  return `Not proven here: ${parts.join("; ")}. With what is missing in place, run \`npm test\` again.\n\n`;
}

/** A test inherits what its suite needs. */
function formatReason(test: TestCase): string {
  for (let one: TestCase | TestSuite | TestModule = test; one.type !== "module"; one = one.parent) {
    const { needs } = one.meta();
    if (needs !== undefined) return `for want of ${needs}`;
  }
  if (test.module.errors().length > 0)
    return `of ${test.module.relativeModuleId}, since what comes before them failed`;
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note === undefined ? `of ${test.module.relativeModuleId}, which do not say why` : `(${note})`;
}
