import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { eachKnownWord } from "./known-words.ts";
import { emptyHash, hashFrom, openWordTable, type WordTable } from "./word-table.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

const computeHash = (key: string) =>
  Array.from(key, (unit) => unit.charCodeAt(0)).reduce(hashFrom, emptyHash);

/** A file with these keys, of which the n-th has the vector [n % 100, -n % 100] / 2; and the keys in the order of their rows. */
function write(keys: readonly string[]): { readonly path: string; readonly ordered: readonly string[] } {
  const ordered = [...keys].sort((one, other) => computeHash(one) - computeHash(other));
  const header = { name: "test", license: "MIT", languages: ["en"], dims: 2, rows: keys.length };
  const head = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(12 + head.length + keys.length * 10);
  bytes.write("haftvec1");
  bytes.writeUInt32LE(head.length, 8);
  head.copy(bytes, 12);
  const places = new Map(keys.map((key, at) => [key, at % 100]));
  for (const [row, key] of ordered.entries()) {
    const number = places.get(key) as number;
    const at = 12 + head.length;
    bytes.writeUInt32LE(computeHash(key), at + row * 4);
    bytes.writeFloatLE(0.5, at + (keys.length + row) * 4);
    bytes.writeInt8(number, at + keys.length * 8 + row * 2);
    bytes.writeInt8(-number, at + keys.length * 8 + row * 2 + 1);
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

async function open(file: string): Promise<WordTable> {
  const table = await openWordTable(file);
  onTestFinished(() => table.close());
  return table;
}

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
  expect(findWords(text, await open(path))).toEqual(words);
});

test("openWordTable() reads the vectors of a file", async () => {
  const table = await open(path);
  const sum = new Float64Array(2);
  table.add(table.findRow(computeHash(" haus")), sum);
  table.add(table.findRow(computeHash(" weather")), sum);
  expect(sum).toEqual(Float64Array.of(2.5, -2.5));
  expect(table.findRow(computeHash("unknown"))).toBe(-1);
  expect(table.header).toMatchObject({ name: "test", dims: 2, rows: keys.length });
});

test("openWordTable() reads each of many rows, more than it keeps, however often they are asked for", async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => ` word${at}`);
  const table = await open(write(many).path);
  for (let round = 0; round < 2; round++)
    for (const [at, key] of many.entries()) {
      const sum = new Float64Array(2);
      table.add(table.findRow(computeHash(key)), sum);
      expect(sum[0], key).toBe((at % 100) / 2);
    }
});

test("openWordTable() says so when the file has become shorter meanwhile, also at the next try", async () => {
  const { path: shrinking } = write([" one", " two", " three"]);
  const table = await open(shrinking);
  truncateSync(shrinking, readFileSync(shrinking).length - 1);
  for (let attempt = 0; attempt < 2; attempt++)
    expect(() => table.add(2, new Float64Array(2))).toThrow("it has become shorter");
});

test("a table that is closed while it reads ahead lets go of its file after that", async () => {
  const table = await openWordTable(path);
  let isRead = false;
  const reading = table.readAhead().then(() => (isRead = true));
  await table.close();
  expect(isRead).toBe(true);
  await reading;
});

test("openWordTable() refuses another file, and a part of one", async () => {
  writeFileSync(join(folder, "other.bin"), "something else");
  await expect(openWordTable(join(folder, "other.bin"))).rejects.toThrow("no file of word vectors");
  const { path: cut } = write([" a", " b"]);
  writeFileSync(cut, readFileSync(cut).subarray(0, -1));
  await expect(openWordTable(cut)).rejects.toThrow("not what its header says");
});
