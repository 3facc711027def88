import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutUndefined } from "../../../base/index.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import { formatEntries, memoryHead } from "./export-memory.ts";
import { memoryFormats, type PortableEntry } from "./portable-entry.ts";
import { readPortable } from "./read-portable.ts";

/** Whatever could be taken for something else. */
const piece = fc.constantFrom(
  "\n",
  "\r\n",
  "## ",
  "\\",
  "# ",
  "key:: ",
  "id:: x",
  "---",
  " ",
  ",",
  '"',
  "[",
  "]",
  "{",
  "é",
  "👩‍👩‍👧",
);
const text = fc
  .array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join(""));
const line = text
  .map((given) => given.replaceAll(/[\p{Cc}\s]+/gu, " ").trim())
  .filter((given) => given !== "");
const words = fc.uniqueArray(line, { maxLength: 3 });
const maybe = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });
const time = fc.maxSafeInteger();

const entries: fc.Arbitrary<MemoryEntry> = fc.record({
  id: fc.constant("m_0123456789abcdef"),
  scope: line,
  kind: line,
  label: maybe(line),
  tier: fc.constantFrom("core", "working", "archival", "log"),
  text,
  title: maybe(line),
  names: words,
  category: maybe(line),
  tags: words,
  permission: fc.constantFrom("read_only", "admin"),
  pinned: fc.boolean(),
  trust: fc.constantFrom("trusted", "untrusted"),
  place: maybe(
    fc.record({ session: text.filter((given) => given !== ""), position: fc.integer(), speaker: line }),
  ),
  at: time,
  validFrom: maybe(time),
  validTo: maybe(time),
  supersededBy: maybe(fc.constant("m_fedcba9876543210")),
  author: fc.oneof(fc.record({ by: line }), fc.record({ by: line, channel: line })),
  createdAt: time,
  changedAt: time,
  deletedAt: maybe(time),
  revision: fc.constant(1),
  undoDepth: fc.constant(0),
  redoDepth: fc.constant(0),
});

/** The entry as the file has to be read. */
function toPortable(entry: MemoryEntry): Omit<PortableEntry, "line"> {
  const { id, scope, author, createdAt, changedAt, deletedAt, ...rest } = entry;
  const { revision: _revision, undoDepth: _undo, redoDepth: _redo, ...said } = rest;
  const was = withoutUndefined({ author, createdAt, changedAt, deletedAt });
  return { id, scope, entry: withoutUndefined(said) as PortableEntry["entry"], was, isWhole: true };
}

/** What is not written down, since it is so where nothing is said. */
function withDefaults({ line: _line, ...portable }: PortableEntry): Omit<PortableEntry, "line"> {
  const defaults = { names: [], tags: [], pinned: false, trust: "trusted" } as const;
  return { ...portable, entry: { ...defaults, ...portable.entry } };
}

test.for(memoryFormats)("every entry as %s is read as what it was", async (format) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entries, { maxLength: 4 }),
      fc.integer({ min: 1, max: 50 }),
      async (all, size) => {
        const file = memoryHead(format, "local") + formatEntries(all, format);
        const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, at) =>
          file.slice(at * size, (at + 1) * size),
        );
        const read: PortableEntry[] = [];
        for await (const portable of readPortable(pieces, { format, name: "x", project: "x" }))
          read.push(portable);
        expect(read.map(withDefaults)).toEqual(all.map(toPortable));
      },
    ),
    { numRuns: 150 },
  );
});
