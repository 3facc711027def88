import { type Command, InvalidArgumentError, Option } from "commander";
import type { CallGroup, ExportFormat, RecordedCallQuery } from "../../app/index.ts";
import { type CallState, type ChainHead, callStates } from "../../modules/ledger/index.ts";
import { repeatable } from "../options/repeatable.ts";
import { toNumber } from "../options/whole-number.ts";
import type { Session } from "../session.ts";

/** Filters of `haft audit`. */
export type AuditQuery = Omit<RecordedCallQuery, "before" | "after" | "limit">;

/** Options of `haft audit`. */
export interface AuditOptions {
  readonly tool?: readonly string[];
  readonly task?: string;
  readonly root?: string;
  readonly client?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly text?: string;
  readonly all?: boolean;
  readonly outcome?: readonly CallState[];
  readonly code?: readonly string[];
  readonly minMs?: number;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly by: CallGroup;
  readonly yes?: boolean;
  readonly verify?: boolean;
  readonly anchor?: ChainHead;
  readonly format: ExportFormat;
  readonly output?: string;
}

const groups = ["hour", "day", "tool", "agent", "client", "state", "code"] satisfies CallGroup[];

/** Adds the options of `haft audit` to the command. */
export function addAuditOptions(command: Command): void {
  command
    .addOption(repeatable("--tool <name>", "only calls of this tool; may be given again (default: all)"))
    .option("--task <id>", "only calls of this task (default: all)")
    .option("--root <call>", "only calls that this call led to (default: all)")
    .option("--client <name>", "only calls of client programs with this name (default: all)")
    .option("--agent <id>", "only calls of this agent (default: all)")
    .option("--session <id>", "only calls of this session (default: all)")
    .option("--text <text>", "only calls whose arguments or result hold this text (default: all)")
    .option(
      "--all",
      "calls for every project folder, and those from before folders were recorded; with --verify: all rows, not only new ones",
    )
    .addOption(
      new Option("--outcome <state>", "only calls with this outcome; may be given again (default: all)")
        .choices(callStates)
        .argParser(collectState),
    )
    .addOption(
      repeatable("--code <code>", "only calls with this error code; may be given again (default: all)"),
    )
    .option(
      "--min-ms <n>",
      "only calls that took at least this many ms (default: all)",
      toNumber(0, 1_000_000_000),
    )
    .option(
      "--since <when>",
      "only calls since then: 30m, 2h, 7d, or a date such as 2026-01-31T12:00 (default: all)",
    )
    .option("--until <when>", "only calls before then, in the same forms (default: all)")
    .option("--limit <n>", "list at most this many calls, 1 to 1000", toNumber(1, 1000), 50)
    .addOption(
      new Option("--by <field>", "with stats: the field by which calls are counted")
        .choices(groups)
        .default("tool"),
    )
    .option("--verify", "check the rows added since the last check, and name the first that was changed")
    .option(
      "--anchor <seq:hash>",
      "with --verify: the end of the chain that an earlier check printed; checks all rows (default: none)",
      toAnchor,
    )
    .addOption(
      new Option("--format <format>", "with export: lines of JSON, or OpenTelemetry traces")
        .choices(["jsonl", "otlp"] satisfies ExportFormat[])
        .default("jsonl"),
    )
    .option("--output <file>", "with export: a new file to write (default: standard output)")
    .option("-y, --yes", "with erase: do not ask first");
}

/** Reads the filters. Without `--all`, only calls for the project folder fit. */
export async function toAuditQuery(session: Session, options: AuditOptions): Promise<AuditQuery> {
  const { parseSince } = await import("../options/since.ts");
  const { tool, task, root, outcome, code, minMs, since, until, client, agent, text, all } = options;
  return {
    ...(all !== true && { project: session.folder() }),
    ...(client !== undefined && { client }),
    ...(agent !== undefined && { agentId: agent }),
    ...(options.session !== undefined && { session: options.session }),
    ...(text !== undefined && text !== "" && { text }),
    ...(tool !== undefined && { tools: tool }),
    ...(task !== undefined && { taskId: task }),
    ...(root !== undefined && { rootCallId: root }),
    ...(outcome !== undefined && { states: outcome }),
    ...(code !== undefined && { codes: code }),
    ...(minMs !== undefined && { minMs }),
    ...(since !== undefined && { since: parseSince(since, Date.now()) }),
    ...(until !== undefined && { until: parseSince(until, Date.now(), "--until") }),
  };
}

function collectState(value: string, before: readonly CallState[] = []): readonly CallState[] {
  const state = callStates.find((one) => one === value);
  if (state === undefined) throw new InvalidArgumentError(`Allowed choices are ${callStates.join(", ")}.`);
  return [...before, state];
}

function toAnchor(text: string): ChainHead {
  // An empty ledger ends at row 0, without a hash.
  const match = /^(?:([1-9]\d{0,14}):([0-9a-f]{64})|0:)$/.exec(text);
  if (match !== null) return { seq: Number(match[1] ?? 0), hash: match[2] ?? "" };
  throw new InvalidArgumentError(
    "give seq:hash, as --verify printed it: a row's number and the 64 hexadecimal digits of its hash.",
  );
}
