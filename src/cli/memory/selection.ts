import { type Command, InvalidArgumentError, Option } from "commander";
import { type Trust, trusts } from "../../kernel/index.ts";
import { type MemoryFilter, type MemoryTier, memoryTiers } from "../../modules/memory/index.ts";
import { CliError } from "../errors.ts";
import { repeatable } from "../options/repeatable.ts";
import { parseSince } from "../options/since.ts";

/** Which entries are meant. */
export interface SelectionOptions {
  readonly kind?: readonly string[];
  readonly tier?: readonly MemoryTier[];
  readonly tag?: readonly string[];
  readonly label?: string;
  readonly trust?: Trust;
  readonly since?: string;
  readonly until?: string;
}

export function addSelection(command: Command): void {
  command
    .addOption(repeatable("--kind <kind>", "only of this kind: block, memory, note, message, … (repeatable)"))
    .addOption(
      repeatable("--tier <tier>", "only of this tier (repeatable)").choices(memoryTiers).argParser(toTiers),
    )
    .addOption(repeatable("--tag <tag>", "only with this tag; with all of them where it is repeated"))
    .option("--label <prefix>", "only those whose label begins so")
    .addOption(
      new Option("--trust <trust>", "only what came from here, or what came from outside").choices(trusts),
    )
    .option("--since <when>", "only of that time and later: 30m, 7d, or a date such as 2026-01-31")
    .option("--until <when>", "only of before that time");
}

export function toFilter(options: SelectionOptions): MemoryFilter {
  const { kind, tier, tag, label, trust, since, until } = options;
  const now = Date.now();
  return {
    ...(kind !== undefined && { kinds: kind }),
    ...(tier !== undefined && { tiers: tier }),
    ...(tag !== undefined && { tags: tag }),
    ...(label !== undefined && { labelPrefix: label }),
    ...(trust !== undefined && { trust }),
    ...(since !== undefined && { since: parseSince(since, now) }),
    ...(until !== undefined && { until: parseTime("--until", until, now) }),
  };
}

/** Parses a time as {@link parseSince} does, named as it was typed. @throws {CliError} CLI_ARGUMENT */
export function parseTime(option: string, text: string, now: number): number {
  try {
    return parseSince(text, now);
  } catch (cause) {
    throw new CliError(
      "CLI_ARGUMENT",
      `Cannot use ${option} ${text}: it is no moment; give a span before now such as 30m, 2h or 7d, or a date such as 2026-01-31T12:00`,
      { cause },
    );
  }
}

function toTiers(value: string, before: readonly MemoryTier[] | undefined): readonly MemoryTier[] {
  const tier = memoryTiers.find((one) => one === value);
  if (tier === undefined) throw new InvalidArgumentError(`Allowed choices are ${memoryTiers.join(", ")}.`);
  return [...(before ?? []), tier];
}
