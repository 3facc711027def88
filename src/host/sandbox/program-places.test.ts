import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { programPlaces } from "./program-places.ts";

test("programPlaces() are the packages and folders that a command names in full, and no more", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-places-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
    return join(root, path);
  };
  write("server/package.json");
  const script = write("server/build/index.js");
  const installed = write("app/node_modules/@org/server/dist/index.js");
  write("app/node_modules/@org/server/package.json");
  const single = write("single/server.mjs");
  const data = join(root, "data");
  mkdirSync(data);
  expect(
    programPlaces(["node", script, "--port=1", installed, single, data, "relative/x", join(root, "none")]),
  ).toEqual([join(root, "server"), join(root, "app/node_modules"), join(root, "single"), data]);
  expect(programPlaces(["single/server.mjs", "--x"], root)).toEqual([join(root, "single")]);
});

test("programPlaces() never are a whole home, all temporary files, or the machine", () => {
  const file = join(realpathSync(tmpdir()), `haft-place-${process.pid}.mjs`);
  writeFileSync(file, "");
  onTestFinished(() => rmSync(file));
  expect(programPlaces(["node", homedir(), "~/", "/", tmpdir(), join(homedir(), "..")])).toEqual([]);
  expect(programPlaces(["node", file])).toEqual([file]);
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "haft-places-")));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  expect(programPlaces(["node", elsewhere])).toEqual([elsewhere]);
  vi.stubEnv("TMPDIR", elsewhere);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(programPlaces(["node", elsewhere])).toEqual([]);
});

test("programPlaces() follow a program on the PATH that is a link out of its folder, to its package", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-places-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const packages = join(root, "node_modules");
  mkdirSync(join(packages, "tool/bin"), { recursive: true });
  mkdirSync(join(packages, ".bin"));
  writeFileSync(join(packages, "tool/bin/tool"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("../tool/bin/tool", join(packages, ".bin/tool"));
  expect(programPlaces(["tool"], root, join(packages, ".bin"))).toEqual([packages]);
  expect(programPlaces(["tool"], root, join(packages, "tool/bin"))).toEqual([]);
  expect(programPlaces(["tool"], root)).toEqual([]);
});
