import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eachKnownWord } from "./known-words.ts";
import { emptyHash, hashFrom, readWordTable, type WordTable } from "./word-table.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

const computeHash = (key: string) =>
  Array.from(key, (unit) => unit.charCodeAt(0)).reduce(hashFrom, emptyHash);

/** A file with these keys, of which the n-th has the vector [n, -n] / 2; and the keys in the order of their rows. */
function write(keys: readonly string[]): { readonly path: string; readonly ordered: readonly string[] } {
  const ordered = [...keys].sort((one, other) => computeHash(one) - computeHash(other));
  const header = { name: "test", license: "MIT", languages: ["en"], dims: 2, rows: keys.length };
  const head = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(12 + head.length + keys.length * 10);
  bytes.write("haftvec1");
  bytes.writeUInt32LE(head.length, 8);
  head.copy(bytes, 12);
  for (const [row, key] of ordered.entries()) {
    const at = 12 + head.length;
    bytes.writeUInt32LE(computeHash(key), at + row * 4);
    bytes.writeFloatLE(0.5, at + (keys.length + row) * 4);
    bytes.writeInt8(keys.indexOf(key), at + keys.length * 8 + row * 2);
    bytes.writeInt8(-keys.indexOf(key), at + keys.length * 8 + row * 2 + 1);
  }
  const path = join(folder, `${keys.length}.bin`);
  writeFileSync(path, bytes);
  return { path, ordered };
}

const keys = [
  " cafe",
  " get",
  " weather",
  " haus",
  "tur",
  " github",
  "过敏",
  "过",
  "药",
  "ة",
  " 20",
  "26",
  " قهوه",
];
const { path, ordered } = write(keys);

function findWords(text: string, table: WordTable): string[] {
  const found: string[] = [];
  eachKnownWord(text, table, (row) => found.push(ordered[row] ?? "?"));
  return found;
}

test.for([
  ["two Cafés", [" cafe"]],
  ["getWeather, GET_WEATHER", [" get", " weather", " get", " weather"]],
  ["the Haustür of GitHub", [" haus", "tur", " github"]],
  ["turhaus", ["tur", " haus"]],
  ["xyz", []],
  ["药过敏过", ["药", "过敏", "过"]],
  ["GitHub过敏", [" github", "过敏"]],
  ["2026", [" 20", "26"]],
  ["قَهْوه", [" قهوه"]],
  ["ﬁ \ud800 …", []],
] as const)("eachKnownWord() takes %j apart", async ([text, words]) => {
  expect(findWords(text, await readWordTable(path))).toEqual(words);
});

test("readWordTable() reads the vectors of a file", async () => {
  const table = await readWordTable(path);
  const sum = new Float64Array(2);
  table.add(table.findRow(computeHash(" haus")), sum);
  table.add(table.findRow(computeHash(" weather")), sum);
  expect(sum).toEqual(Float64Array.of(2.5, -2.5));
  expect(table.findRow(computeHash("unknown"))).toBe(-1);
  expect(table.header).toMatchObject({ name: "test", dims: 2, rows: keys.length });
});

test("readWordTable() refuses another file, and a part of one", async () => {
  writeFileSync(join(folder, "other.bin"), "something else");
  await expect(readWordTable(join(folder, "other.bin"))).rejects.toThrow("no file of word vectors");
  const { path: cut } = write([" a", " b"]);
  writeFileSync(cut, readFileSync(cut).subarray(0, -1));
  await expect(readWordTable(cut)).rejects.toThrow("not what its header says");
});
