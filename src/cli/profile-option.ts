import { Option } from "commander";
import type { Profile } from "../app/index.ts";

const profiles: readonly Profile[] = ["coding", "task"];

/** Which names the file tools have; `note` follows what it says of itself. */
export function profileOption(note = ""): Option {
  return new Option(
    "--profile <name>",
    `the names of the file tools: coding (read, edit, …) or task (read_file, …)${note}`,
  ).choices(profiles);
}

/** The same, where it stands over the configuration. */
export function profileOverride(): Option {
  return profileOption(" (default: the configuration's, or coding)");
}
