import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take the longest, and their length does not tell. */
const longest = [
  "test/recipes.test.ts",
  "test/store/task-races.test.ts",
  "test/store/crash-points.test.ts",
  "test/attacks/attacks.test.ts",
  "test/attacks/console.test.ts",
  "test/console/accessibility.test.ts",
  "test/attacks/restarts.test.ts",
  "test/commands/git-undo.test.ts",
  "test/docs-blocks.test.ts",
  "test/agent/kills.test.ts",
  "test/console/canary.test.ts",
  "test/e2e/cli-mcp.test.ts",
  "test/e2e/cli-approvals.test.ts",
  "test/commands/destructive.test.ts",
  "test/e2e/re-export.test.ts",
  "test/e2e/cli-terminal.test.ts",
  "test/store/kills.test.ts",
  "test/commands/auto-undo.test.ts",
  "test/host-sandbox-git-doors.test.ts",
  "test/store/memory-kills.test.ts",
  "test/e2e/cli.test.ts",
  "test/mcp-client/chaos.test.ts",
  "test/e2e/every-tool.test.ts",
  "test/attacks/console-leaks.test.ts",
  "test/api-examples.test.ts",
  "test/sources/extensions-attacks.test.ts",
  "src/host/process/survivors.test.ts",
];

/** A long file that starts last has the others wait for it: on a machine that has run none of them, too, these are first. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const found = longest.indexOf(relative(project.config.root, moduleId));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
