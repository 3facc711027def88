import { shellWord } from "../../../../src/base/index.ts";
import type { MemoryAddress } from "../../../../src/server/console/api/index.ts";

/** Fields of the address that choose entries. */
export const filterNames = [
  "q",
  "kinds",
  "tiers",
  "tags",
  "label",
  "trust",
  "last",
  "show",
  "agent",
] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** Spans of time that entries can be narrowed to. */
export const spans: readonly { readonly value: string; readonly label: string; readonly ms: number }[] = [
  { value: "24h", label: "Last 24 hours", ms: 86_400_000 },
  { value: "7d", label: "Last 7 days", ms: 7 * 86_400_000 },
  { value: "30d", label: "Last 30 days", ms: 30 * 86_400_000 },
  { value: "365d", label: "Last year", ms: 365 * 86_400_000 },
];

export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name) ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** Filters in one order, so that the same ones are the same address. */
export function orderFilters(filters: Filters): Readonly<Record<string, string>> {
  return Object.fromEntries(filterNames.map((name) => [name, filters[name] ?? ""]));
}

/** What the server is asked for. @param now Unix ms */
export function toMemoryAddress(filters: Filters, now: number): MemoryAddress {
  const { kinds, tiers, tags, label, trust, last, agent } = filters;
  const span = spans.find(({ value }) => value === last);
  return {
    ...(agent !== undefined && { agent }),
    ...(kinds !== undefined && { kinds }),
    ...(tiers !== undefined && { tiers }),
    ...(tags !== undefined && { tags }),
    ...(label !== undefined && { label }),
    ...((trust === "trusted" || trust === "untrusted") && { trust }),
    ...(span !== undefined && { since: String(now - span.ms) }),
  };
}

/** The command that shows the same entries. */
export function toCommand({ q, kinds, tiers, tags, label, trust, last, show, agent }: Filters): string {
  const each = (option: string, list = "") =>
    list
      .split(",")
      .filter((word) => word !== "")
      .map((word) => `${option} ${shellWord(word)}`);
  return [
    q === undefined ? "haft memory list" : `haft memory search ${shellWord(q)}`,
    ...each("--kind", kinds),
    ...each("--tier", tiers),
    ...each("--tag", tags),
    ...(label === undefined ? [] : [`--label ${shellWord(label)}`]),
    ...(trust === undefined ? [] : [`--trust ${shellWord(trust)}`]),
    ...(last === undefined ? [] : [`--since ${shellWord(last)}`]),
    ...(q === undefined && (show === "all" || show === "deleted") ? [`--${show}`] : []),
    ...(agent === undefined ? [] : [`--agent ${shellWord(agent)}`]),
  ].join(" ");
}
