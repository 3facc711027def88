import { expect, test } from "vitest";
import { startFault } from "./start-fault.ts";

test("a program that is named alone is missing on the PATH, one that is named by a path is no file", () => {
  expect(startFault("server", "ENOENT")).toMatchObject({
    code: "PROCESS_NOT_FOUND",
    message: expect.stringContaining("no such program on the PATH"),
  });
  const byPath = startFault("node_modules/.bin/server", "ENOENT");
  expect(byPath).toMatchObject({
    code: "PROCESS_NOT_FOUND",
    message: expect.stringContaining("no such file"),
  });
  expect(byPath.message).not.toContain("PATH");
});
