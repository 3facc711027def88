import { Option } from "commander";

export type Profile = "coding" | "task";

/** Which names the file tools have. */
export function profileOption(): Option {
  return new Option(
    "--profile <name>",
    "the names of the file tools: coding (read, edit, …) or task (read_file, …) (default: the configuration's, or coding)",
  ).choices(["coding", "task"]);
}
