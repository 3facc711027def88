import { delimiter } from "node:path";
import { expect, test, vi } from "vitest";
import { ownSearchPath, ProgramSearch } from "./program-search.ts";

test("ProgramSearch.pathOfMachine has no folder of a project, and no entry that is no full path", () => {
  const path = [
    "/home/ada/app/node_modules/.bin",
    "/home/ada/node_modules/.bin",
    "/home/ada/app/.venv/bin",
    "/home/ada/app/tools",
    "relative",
    "",
    ".",
    "/home/ada/.local/bin",
    "/usr/bin",
  ].join(delimiter);
  const { pathOfMachine } = new ProgramSearch({ path, writable: ["/home/ada/app"] });
  expect(pathOfMachine).toBe(["/home/ada/.local/bin", "/usr/bin"].join(delimiter));
});

test("ownSearchPath() has no folder of the project that haft was started in", () => {
  vi.stubEnv("PATH", [`${process.cwd()}/bin`, "/x/node_modules/.bin", ".", "/usr/bin"].join(delimiter));
  expect(ownSearchPath()).toBe("/usr/bin");
  vi.unstubAllEnvs();
});
