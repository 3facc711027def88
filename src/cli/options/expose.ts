import { Option } from "commander";
import type { Expose } from "../../app/index.ts";

const choices: readonly Expose[] = ["lean", "all", "auto"];

/** How many of its tools a client is shown. */
export function exposeOption(): Option {
  return new Option(
    "--expose <what>",
    "what the list of tools has: all; lean: the core ones and search_tools, which finds the others; auto: lean once all cost more tokens than tools.budget (default: the configuration's, or auto)",
  ).choices(choices);
}
