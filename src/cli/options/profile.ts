import { Option } from "commander";
import type { Profile } from "../../app/index.ts";

const profiles: readonly Profile[] = ["coding", "task", "full", "queue"];

/** Which names the tools have; `note` follows what it says of itself. */
export function profileOption(note = ""): Option {
  return new Option(
    "--profile <name>",
    `the names of the tools: coding (bash, read, edit, …), task (read_file, …), full (bash, read_file, …) or queue (full, lines from 1)${note}`,
  ).choices(profiles);
}

/** The same, where it stands over the configuration. */
export function profileOverride(): Option {
  return profileOption(" (default: the configuration's, or coding)");
}
