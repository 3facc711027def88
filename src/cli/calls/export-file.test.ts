import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ExportFile } from "./export-file.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("ExportFile is in its place once it is finished, and not before", async () => {
  const folder = newFolder();
  const file = await ExportFile.create(join(folder, "calls"));
  await file.write("one\n");
  await file.write("two\n");
  expect(existsSync(file.path)).toBe(false);
  await file.finish();
  expect(readFileSync(file.path, "utf8")).toBe("one\ntwo\n");
});

test("ExportFile leaves nothing behind when it is abandoned", async () => {
  const folder = newFolder();
  const file = await ExportFile.create(join(folder, "calls"));
  await file.write("one\n");
  await file.abandon();
  expect(readdirSync(folder)).toEqual([]);
});

test("ExportFile.finish() puts nothing in the place of a file or link that came there since", async () => {
  const folder = newFolder();
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  const exports = [await ExportFile.create(file), await ExportFile.create(link)];
  writeFileSync(file, "kept");
  symlinkSync("nowhere", link);
  for (const one of exports) {
    await one.write("one\n");
    await expect(one.finish()).rejects.toMatchObject({ code: "CLI_FILE_EXISTS" });
    await one.abandon();
  }
  expect(readFileSync(file, "utf8")).toBe("kept");
  expect(readdirSync(folder).sort()).toEqual(["file", "link"]);
});

test("ExportFile.create() refuses a file that is there, also where a link leads to it", async () => {
  const folder = newFolder();
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  writeFileSync(file, "kept");
  symlinkSync(file, link);
  for (const path of [file, link])
    await expect(ExportFile.create(path)).rejects.toMatchObject({ code: "CLI_FILE_EXISTS" });
  expect(readFileSync(file, "utf8")).toBe("kept");
});
