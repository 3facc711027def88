import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFault } from "./start-fault.ts";

test("a program that is named alone is missing on the PATH, one that is named by a path is no file", () => {
  expect(startFault({ file: "server" }, "ENOENT")).toMatchObject({
    code: "PROCESS_NOT_FOUND",
    message: expect.stringContaining("no such program on the PATH"),
  });
  const byPath = startFault({ file: "node_modules/.bin/server" }, "ENOENT");
  expect(byPath).toMatchObject({
    code: "PROCESS_NOT_FOUND",
    message: expect.stringContaining("no such file"),
  });
  expect(byPath.message).not.toContain("PATH");
});

test("a program that is missing is not called unexecutable because a folder of the PATH can't be read", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-start-fault-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "plain"), "", { mode: 0o644 });
  const codeFor = (file: string) => startFault({ file, path: `/root/none:${folder}` }, "EACCES").code;
  expect(codeFor("missing")).toBe("PROCESS_NOT_FOUND");
  expect(codeFor("plain")).toBe("PROCESS_NOT_EXECUTABLE");
  expect(codeFor(join(folder, "plain"))).toBe("PROCESS_NOT_EXECUTABLE");
});
