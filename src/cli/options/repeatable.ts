import { Option } from "commander";

/** An option that may be given several times, for several values. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
