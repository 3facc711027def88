import { expect, test } from "vitest";
import { checkWindowsName } from "./windows-path.ts";

test("checkWindowsName() refuses what Windows takes for something other than a file", () => {
  const refused = [
    "\\\\server\\share\\a",
    "//server/share",
    "\\\\?\\C:\\a",
    "\\\\.\\PhysicalDrive0",
    "C:a",
    "a.txt:stream",
    "C:\\con",
    "x\\nul.txt",
    "a. ",
    "x\\b.",
  ];
  expect(refused.filter((path) => checkWindowsName(path) === undefined)).toEqual([]);
  const taken = ["C:\\a\\b.txt", "c:/a", "a\\b", "..\\a", ".", "console.txt", "a.b.c"];
  expect(taken.filter((path) => checkWindowsName(path) !== undefined)).toEqual([]);
});
