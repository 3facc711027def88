import { nearestNames } from "../../base/index.ts";
import { CliError } from "../errors.ts";

/** @param verb as in `Cannot remove the MCP server` */
export function unknownServer(name: string, known: Iterable<string>, verb: string): CliError {
  const nearest = nearestNames(name, new Set(known));
  const hint =
    nearest.length > 0
      ? `did you mean ${nearest.map((other) => `"${other}"`).join(" or ")}`
      : "`haft mcp list` lists them";
  return new CliError("CLI_NOT_FOUND", `Cannot ${verb} the MCP server "${name}": there is none; ${hint}`, {
    details: { nearest },
  });
}
