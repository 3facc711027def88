import { CliError } from "./errors.ts";

/**
 * For what only a person may do, `--yes` or not.
 *
 * @param action as in `add an MCP server`
 * @throws {CliError} CLI_UNCONFIRMED where a tool of haft started this process.
 */
export async function refuseTools(action: string): Promise<void> {
  const { isStartedByTool } = await import("../host/index.ts");
  if (!isStartedByTool()) return;
  throw new CliError(
    "CLI_UNCONFIRMED",
    `Cannot ${action} here: a tool of haft started this process, and no tool answers for a person; run it at a terminal of your own`,
  );
}
