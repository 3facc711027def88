import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { notifyDesktop } from "./notify.ts";

/** A folder that is the whole PATH, with a program in it that notes what it is given. */
function fakeDesktop(): { folder: string; noted: string } {
  const folder = mkdtempSync(join(tmpdir(), "haft-notify-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const noted = join(folder, "noted");
  for (const name of ["notify-send", "osascript"]) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nfor one in "$@"; do printf '%s\\0' "$one" >> ${noted}; done\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { folder, noted };
}

test("notifyDesktop() gives title and text as they are, whatever they look like", async () => {
  const { noted } = fakeDesktop();
  const text = '--icon=x $(touch owned) "quoted"\nnext line';
  expect(await notifyDesktop("haft", text)).toBe(true);
  expect(readFileSync(noted, "utf8").split("\0").slice(-4)).toEqual(["--", "haft", text, ""]);
});

test("notifyDesktop() says that there is nothing to show it with", async () => {
  const { folder } = fakeDesktop();
  for (const name of ["notify-send", "osascript"]) rmSync(join(folder, name));
  expect(await notifyDesktop("haft", "x")).toBe(false);
});
