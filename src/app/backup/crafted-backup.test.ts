import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { openStore } from "../store/open-store.ts";
import { restoreBackup, unpackBackup, writeBackup } from "./index.ts";
import { type BackupManifest, manifestName } from "./manifest.ts";
import { readTar, tarEnd, tarHead, tarPadding } from "./tar.ts";

const never = new AbortController().signal;

interface Crafted {
  readonly path?: string;
  readonly content?: string;
  /** Letter that says what kind of thing it is: `2` is a symbolic link. */
  readonly type?: string;
  /** Size field of the header, as text. */
  readonly size?: string;
  readonly linkTarget?: string;
}

/** One entry of an archive that no program of haft's wrote, with a checksum that is right. */
function entry({ path = "home/x", content = "", type = "0", size, linkTarget = "" }: Crafted): Buffer {
  const bytes = Buffer.byteLength(content);
  const head = tarHead({ path, bytes });
  head.write(type, 156);
  head.write(linkTarget, 157);
  if (size !== undefined) head.fill(0, 124, 136).write(size, 124);
  head.fill(" ", 148, 156);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([head, Buffer.from(content), tarPadding(bytes)]);
}

function pax(record: string): Buffer {
  let length = record.length + 3;
  while (`${length} ${record}\n`.length !== length) length++;
  return entry({ path: "pax", type: "x", content: `${length} ${record}\n` });
}

const crafted: Readonly<Record<string, readonly Buffer[]>> = {
  "an absolute path": [entry({ path: "/tmp/haft-crafted" })],
  "a path with ..": [entry({ path: "home/../../outside.txt", content: "x" })],
  "a path of Windows": [entry({ path: "home\\..\\..\\outside.txt" })],
  "a drive of Windows": [entry({ path: "C:/outside.txt" })],
  "a long path with ..": [pax("path=../../outside.txt"), entry({ content: "x" })],
  "a path with a NUL": [pax("path=home/a\0/../../outside.txt"), entry({})],
  "a symbolic link": [entry({ type: "2", linkTarget: "../.." }), entry({ path: "home/x/outside.txt" })],
  "a hard link": [entry({ type: "1", linkTarget: "/etc/passwd" })],
  "a device": [entry({ type: "3" })],
  "a pipe": [entry({ type: "6" })],
  "a folder": [entry({ type: "5" })],
  "a global header": [entry({ type: "g", content: "18 path=../outside\n" })],
  "a file twice": [entry({ content: "one" }), entry({ content: "two" })],
  "a file in a file": [entry({ path: "home/a" }), entry({ path: "home/a/b" })],
  "a file that is larger than the archive": [entry({ size: "77777777777" })],
  "a size beyond all numbers": [pax("size=1e400"), entry({})],
  "a size that is no number": [pax("size=many"), entry({ content: "x" })],
  "a size with a fraction": [pax("size=0.5"), entry({ content: "x" })],
  "a negative size": [pax("size=-1024"), entry({ content: "x" })],
  "a negative size in the header": [entry({ size: "-0000001000" })],
  "an extended header of negative size": [entry({ type: "x", size: "-0000001000" })],
  "an extended header without a size": [entry({ type: "x", size: "many" })],
  "an extended header without an end": [entry({ type: "x", content: "9999 path=home/y\n" }), entry({})],
  "no manifest": [entry({ content: "x" })],
  "a manifest that is none": [entry({ path: manifestName, content: "[]" })],
};

test.for(Object.entries(crafted))(
  "a backup with %s is refused, and nothing is left of it",
  async ([, parts]) => {
    const place = new Installation();
    const file = join(place.root, "crafted.tar");
    writeFileSync(file, Buffer.concat([...parts, tarEnd]));
    const into = join(place.root, "deep/er");
    place.write("deep/kept", "");
    const unpacked = unpackBackup({ file, into, signal: AbortSignal.timeout(20_000), keep: true });
    await expect(unpacked).rejects.toMatchObject({ code: "BACKUP_DAMAGED" });
    expect(readdirSync(join(place.root, "deep"))).toEqual(["kept"]);
    expect(existsSync(join(place.root, "outside.txt"))).toBe(false);
  },
);

/** A backup of haft's whose manifest somebody has rewritten. */
async function backUp(rewrite: (manifest: BackupManifest) => unknown) {
  const place = new Installation();
  place.home.write("config.yml", "mode: ask\n");
  const database = join(place.home.folder, "haft.db");
  await (await openStore({ path: database }))[Symbol.asyncDispose]();
  const genuine = join(place.root, "genuine.tar");
  writeFileSync(genuine, "");
  await writeBackup({
    home: place.home.folder,
    store: database,
    version: "1",
    now: 1,
    signal: never,
    scratch: place.root,
    write: async (bytes) => appendFileSync(genuine, bytes),
  });
  const parts: Buffer[] = [];
  await using archive = await open(genuine);
  for await (const one of readTar(archive)) {
    const { path } = one;
    const pieces: Buffer[] = [];
    for await (const piece of one.content()) pieces.push(piece);
    let data = Buffer.concat(pieces);
    if (path === manifestName)
      data = Buffer.from(JSON.stringify(rewrite(JSON.parse(data.toString()) as BackupManifest)));
    parts.push(tarHead({ path, bytes: data.length }), data, tarPadding(data.length));
  }
  const file = join(place.root, "crafted.tar");
  writeFileSync(file, Buffer.concat([...parts, tarEnd]));
  const unpacked = join(place.root, "unpacked");
  return { place, unpacked, unpack: () => unpackBackup({ file, into: unpacked, signal: never, keep: true }) };
}

test("a backup is unpacked where its manifest says what is in it", async () => {
  const { unpack } = await backUp((manifest) => manifest);
  expect(await unpack()).toMatchObject({ store: { path: "home/haft.db" } });
});

test.for<[string, (manifest: BackupManifest) => unknown]>([
  ["a store outside of it", (one) => ({ ...one, store: { ...one.store, path: "../project/own.db" } })],
  [
    "a store that is not among its files",
    (one) => ({ ...one, store: { ...one.store, path: "home/other.db" } }),
  ],
  ["a relative place of its store", (one) => ({ ...one, store: { ...one.store, place: "own.db" } })],
  ["a place that is no path", (one) => ({ ...one, store: { ...one.store, place: 7 } })],
  ["no end of the ledger", (one) => ({ ...one, store: { ...one.store, head: null } })],
  ["no time", (one) => ({ ...one, madeAt: "yesterday" })],
  ["a time beyond all dates", (one) => ({ ...one, madeAt: 1e300 })],
  ["no version", (one) => ({ ...one, version: {} })],
  ["no files", (one) => ({ ...one, files: [null] })],
])("a manifest with %s is refused", async ([, rewrite]) => {
  const { place, unpack, unpacked } = await backUp(rewrite);
  place.write("project/own.db", "my own");
  await expect(unpack()).rejects.toMatchObject({ code: "BACKUP_DAMAGED" });
  expect(existsSync(unpacked)).toBe(false);
  expect(readFileSync(join(place.folder, "own.db"), "utf8")).toBe("my own");
});

test("a store goes to a place outside of haft's folder only where that place was agreed to", async () => {
  const { place, unpack, unpacked } = await backUp((one) => {
    return { ...one, store: { ...one.store, place: "/nowhere/at/all/haft.db" } };
  });
  const manifest = await unpack();
  const home = place.home.folder;
  for (const agreedPlace of [undefined, "/nowhere/else/haft.db"])
    await expect(
      restoreBackup({ unpacked, manifest, home, now: 2, ...(agreedPlace !== undefined && { agreedPlace }) }),
    ).rejects.toMatchObject({ code: "BACKUP_PLACE" });
  expect(readdirSync(place.root).filter((name) => name.includes("before-restore"))).toEqual([]);
});
