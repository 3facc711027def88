import { shellWord } from "../../../../src/base/index.ts";
import type { CallsAddress } from "../../../../src/server/console/api/index.ts";

/** Fields of the page's address that choose calls as they are, with the option of `haft audit` for each. */
const plainFields = {
  text: "--text",
  tools: "--tool",
  states: "--outcome",
  agentId: "--agent",
  codes: undefined,
  client: "--client",
  session: "--session",
  project: undefined,
  taskId: "--task",
  runId: undefined,
  rootCallId: undefined,
  since: undefined,
  until: undefined,
  minMs: undefined,
} as const satisfies { readonly [Name in keyof CallsAddress]?: string | undefined };

export type FilterName = keyof typeof plainFields | "last";

/** Spans of time that the list can be narrowed to. */
export const spans: readonly { readonly value: string; readonly label: string; readonly ms: number }[] = [
  { value: "1h", label: "Last hour", ms: 3_600_000 },
  { value: "24h", label: "Last 24 hours", ms: 86_400_000 },
  { value: "7d", label: "Last 7 days", ms: 7 * 86_400_000 },
  { value: "30d", label: "Last 30 days", ms: 30 * 86_400_000 },
];

const plainNames = Object.keys(plainFields) as (keyof typeof plainFields)[];

/** The fields of an address that choose calls. */
export function readFilters(query: URLSearchParams): Readonly<Partial<Record<FilterName, string>>> {
  const names: readonly FilterName[] = [...plainNames, "last"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name) ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** Filters in one order, so that the same ones are the same address. */
export function orderFilters(
  filters: Readonly<Partial<Record<FilterName, string>>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...plainNames, "last" as const].map((name) => [name, filters[name] ?? ""]));
}

/** What the server is asked for. `now`: Unix ms, so that a list stays what it was when it was opened. */
export function toCallsAddress(
  filters: Readonly<Partial<Record<FilterName, string>>>,
  now: number,
): CallsAddress {
  const { last, ...plain } = filters;
  const span = spans.find(({ value }) => value === last);
  return span === undefined ? plain : { ...plain, since: String(now - span.ms) };
}

/** The command that lists the same calls. */
export function toCommand(filters: Readonly<Partial<Record<FilterName, string>>>): string {
  const options = plainNames.flatMap((name) => {
    const option = plainFields[name];
    const value = filters[name];
    return option === undefined || value === undefined ? [] : [`${option} ${shellWord(value)}`];
  });
  if (filters.last !== undefined) options.push(`--since ${shellWord(filters.last)}`);
  return ["haft audit", ...options].join(" ");
}
