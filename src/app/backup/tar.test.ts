import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTar, tarEnd, tarHead, tarPadding } from "./tar.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-tar-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const contents: Readonly<Record<string, string>> = {
  "home/config.yml": "mode: ask\n",
  "home/empty": "",
  "home/exact": "x".repeat(512),
  [`home/memory/${"ünicode-".repeat(25)}.md`]: "long name",
};

function write(): string {
  const path = join(newFolder(), "archive.tar");
  const parts = Object.entries(contents).flatMap(([name, text]) => {
    const bytes = Buffer.byteLength(text);
    return [tarHead({ path: name, bytes }), Buffer.from(text), tarPadding(bytes)];
  });
  writeFileSync(path, Buffer.concat([...parts, tarEnd]));
  return path;
}

async function read(path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await using file = await open(path);
  for await (const entry of readTar(file)) {
    const pieces: Buffer[] = [];
    for await (const piece of entry.content()) pieces.push(piece);
    found[entry.path] = Buffer.concat(pieces).toString("utf8");
  }
  return found;
}

test("an archive that is written is read again, long names and empty files too", async () => {
  expect(await read(write())).toEqual(contents);
});

test("an archive is one that tar itself reads", ({ skip }) => {
  const folder = newFolder();
  try {
    execFileSync("tar", ["--version"]);
  } catch {
    return skip("there is no tar here");
  }
  execFileSync("tar", ["-xf", write(), "-C", folder]);
  for (const [name, text] of Object.entries(contents))
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
});

test("an archive that was cut off, or is none, is refused", async () => {
  const cut = write();
  truncateSync(cut, 1300);
  await expect(read(cut)).rejects.toThrow("it ends too early");
  const none = join(newFolder(), "none");
  writeFileSync(none, "x".repeat(2000));
  await expect(read(none)).rejects.toThrow("it is no archive, or it is damaged");
});
