import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeCommand, writeRule } from "../../console/src/pages/calls/write-forms.ts";
import { formatMicros, formatMs } from "../../console/src/text/format.ts";
import { mixesScripts } from "../../console/src/text/mixed-scripts.ts";
import { splitSgr } from "../../console/src/text/sgr.ts";
import { writeHidden } from "../../console/src/text/write-hidden.ts";
import { splitInvisible } from "../../src/base/index.ts";

/** The same corpus as the terminal's. */
const corpus = JSON.parse(readFileSync("test/corpora/invisible.json", "utf8")) as readonly {
  readonly text: string;
  readonly console: string;
}[];

test.each(corpus)("what would not be seen is written out, in $console", ({ text, console: shown }) => {
  const parts = splitInvisible(text).map((part) => (part.hidden ? writeHidden(part.text) : part.text));
  expect(parts.join("")).toBe(shown);
});

test("colours of a terminal become classes, and nothing else is taken away", () => {
  expect(splitSgr("a\u001b[1;31mb\u001b[22mc\u001b[0md\u001b[2Je")).toEqual([
    { text: "a", classes: "" },
    { text: "b", classes: "fg-1 sgr-bold" },
    { text: "c", classes: "fg-1" },
    { text: "d\u001b[2Je", classes: "" },
  ]);
  expect(splitSgr("\u001b[38;5;196mx\u001b[38;2;1;2;3;4my\u001b[mz")).toEqual([
    { text: "x", classes: "" },
    { text: "y", classes: "sgr-underline" },
    { text: "z", classes: "" },
  ]);
  const sequences = fc
    .array(fc.nat(107))
    .map((codes) => ({ text: `\u001b[${codes.slice(0, 9).join(";")}m`, shown: "" }));
  const others = fc
    .constantFrom("x", "[0m", ";", "\u001b[2J", "\u001b]8;")
    .map((text) => ({ text, shown: text }));
  fc.assert(
    fc.property(fc.array(fc.oneof(sequences, others)), (parts) => {
      const shown = splitSgr(parts.map(({ text }) => text).join("")).map(({ text }) => text);
      expect(shown.join("")).toBe(parts.map((part) => part.shown).join(""));
    }),
  );
});

test("a name whose words mix alphabets that look alike is found", () => {
  expect(["p\u0430ypal", "read", "чтение_file", "Ωmega", "日本go", "na\u0308ive"].map(mixesScripts)).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
});

test("a rule names the tool, and those arguments that a rule takes literally", () => {
  const call = { toolName: "bash", erased: false };
  expect(
    writeRule({ ...call, paramsText: '{"command":"npm test","timeout_ms":5,"cwd":"src/*","a.b":"x"}' }),
  ).toBe('permissions:\n  - {"decision":"allow","tool":"bash","arguments":{"command":"npm test"}}\n');
  expect(writeRule({ ...call, paramsText: "cut off {" })).toBe(
    'permissions:\n  - {"decision":"allow","tool":"bash"}\n',
  );
  expect(writeRule({ ...call, erased: true, paramsText: '{"command":"x"}' })).not.toContain("command");
});

test("a call as a command is one line for a shell; cut or erased arguments make none", () => {
  const call = { toolName: "read", erased: false };
  expect(writeCommand({ ...call, paramsText: '{"path":"it\'s.txt"}' })).toBe(
    `haft call read '{"path":"it'\\''s.txt"}'`,
  );
  expect(writeCommand({ ...call, paramsText: "cut off {" })).toBeUndefined();
  expect(writeCommand({ ...call, erased: true, paramsText: "{}" })).toBeUndefined();
});

test("times and money read well", () => {
  expect([4.4, 1240, 12_400, 61_000, 7_800_000, 90_000_000].map(formatMs)).toEqual([
    "4 ms",
    "1.2 s",
    "12 s",
    "1 min 1 s",
    "2 h 10 min",
    "1 d 1 h",
  ]);
  expect([0, 3100, 1_284_000].map(formatMicros)).toEqual(["$0.00", "$0.0031", "$1.28"]);
});
