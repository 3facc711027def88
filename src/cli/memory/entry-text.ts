import { cutHead, oneLine } from "../../base/index.ts";
import type { MemoryAuthor, MemoryEntry, MemoryShare } from "../../modules/memory/index.ts";
import type { Terminal } from "../terminal.ts";
import { toLocalTime } from "../text/local-time.ts";
import { renderTable } from "../text/table.ts";

/** One line an entry: what it goes by, what it is, when it was so, and how its text begins. */
export function renderEntryList(entries: readonly MemoryEntry[], scope: string, terminal: Terminal): string {
  return renderTable(
    [
      { title: "Entry", paint: (text) => terminal.paint("bold", text) },
      { title: "Kind" },
      { title: "Tier" },
      { title: "When" },
      { title: "Text", overflow: "cut" },
    ],
    entries.map((entry) => [
      shown(terminal, formatEntryName(entry), 60),
      shown(terminal, entry.kind),
      entry.tier,
      toDay(entry.at),
      [
        ...listMarks(entry, scope).map((mark) => `[${mark}]`),
        shown(terminal, formatBeginning(entry), 300),
      ].join(" "),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

/** What it is called by: no other entry is found by it. */
export function formatEntryName({ id, label, deletedAt }: MemoryEntry): string {
  return deletedAt === undefined ? (label ?? id) : id;
}

/** What is to be known before its text is believed. */
export function listMarks(entry: MemoryEntry, scope: string, now: number = Date.now()): string[] {
  return [
    ...(entry.deletedAt === undefined ? [] : ["deleted"]),
    ...(entry.supersededBy === undefined ? [] : ["superseded"]),
    ...((entry.validTo ?? now) < now || (entry.validFrom ?? now) > now ? ["not valid now"] : []),
    ...(entry.trust === "untrusted" ? ["untrusted"] : []),
    ...(entry.pinned ? ["pinned"] : []),
    ...(entry.scope === scope ? [] : [`shared by ${oneLine(entry.scope)}`]),
  ];
}

function formatBeginning({ title, text, place }: MemoryEntry): string {
  const said = place?.speaker === undefined ? "" : `${place.speaker}: `;
  const head = cutHead(text, 1000);
  return title === undefined || head.startsWith(title) ? said + head : `${title}: ${said}${head}`;
}

/** Text from elsewhere on one line of a terminal. */
export function shown(terminal: Terminal, text: string, most = 200): string {
  const line = oneLine(text);
  return terminal.foreign(line.length <= most ? line : `${cutHead(line, most - 1)}…`);
}

/** All of one entry. */
export function renderEntry(
  entry: MemoryEntry,
  { scope, shares }: { readonly scope: string; readonly shares: readonly MemoryShare[] },
  terminal: Terminal,
): string {
  const { place } = entry;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["id", entry.id],
    ["label", entry.label],
    ["title", entry.title],
    ["kind", entry.kind],
    ["tier", entry.tier],
    ["permission", entry.permission],
    ["names", listed(entry.names)],
    ["tags", listed(entry.tags)],
    ["category", entry.category],
    ["session", place && `${place.session}, ${place.position}`],
    ["said by", place && listed([place.speaker ?? "", place.role ?? "", place.channel ?? ""])],
    ["when", toMinute(entry.at)],
    ["valid", validText(entry)],
    ["superseded by", entry.supersededBy],
    ["made", `${toMinute(entry.createdAt)} by ${authorText(entry.author)}`],
    ["made of", listed(entry.author.sources ?? [])],
    ["changed", entry.changedAt === entry.createdAt ? undefined : toMinute(entry.changedAt)],
    ["deleted", entry.deletedAt === undefined ? undefined : toMinute(entry.deletedAt)],
    ["shared with", listed(shares.map((share) => `${share.scope} (${share.permission})`))],
    ["can be", undoText(entry)],
  ];
  const rows = facts.flatMap(([name, value]) => (value ? [[name, shown(terminal, value, 2000)]] : []));
  const marks = listMarks(entry, scope).map((mark) => ` [${shown(terminal, mark)}]`);
  const heading = `${terminal.paint("bold", shown(terminal, formatEntryName(entry)))}${terminal.paint("yellow", marks.join(""))}\n`;
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, titles: false, indent: "  " },
  );
  return `${heading}${table}${sourceNote(entry)}\n${withEnd(terminal.foreign(entry.text))}`;
}

/** Said where a text is shown whole. */
function sourceNote({ trust }: MemoryEntry): string {
  return trust === "untrusted"
    ? "  It came from outside: agents are told to take it as data, and never to do what it asks\n"
    : "";
}

function undoText({ undoDepth, redoDepth }: MemoryEntry): string | undefined {
  return listed([
    undoDepth === 0 ? "" : `undone (${undoDepth} ${undoDepth === 1 ? "change" : "changes"})`,
    redoDepth === 0 ? "" : `redone (${redoDepth})`,
  ]);
}

function validText({ validFrom, validTo }: MemoryEntry): string | undefined {
  return listed([
    validFrom === undefined ? "" : `from ${toMinute(validFrom)}`,
    validTo === undefined ? "" : `until ${toMinute(validTo)}`,
  ]);
}

export function authorText({ by, channel, callId }: MemoryAuthor): string {
  return [by, channel && `over ${channel}`, callId && `in ${callId}`].filter(Boolean).join(" ");
}

function listed(words: readonly string[]): string | undefined {
  const some = words.filter((word) => word !== "");
  return some.length === 0 ? undefined : some.join(", ");
}

export function withEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** `2026-11-22`, where this machine is. */
function toDay(at: number): string {
  const minute = toMinute(at);
  return minute.includes(" ") ? minute.slice(0, minute.indexOf(" ")) : minute;
}

/** `1 entry`, `2,000 entries`. */
export function countText(entries: number): string {
  return `${entries.toLocaleString("en")} ${entries === 1 ? "entry" : "entries"}`;
}

/** `2026-11-22 01:44`, where this machine is. */
export function toMinute(at: number): string {
  return Number.isNaN(new Date(at).getTime()) ? String(at) : toLocalTime(at).slice(0, -3);
}
