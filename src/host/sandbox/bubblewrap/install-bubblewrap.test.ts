import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { commandsToInstallBubblewrap } from "./install-bubblewrap.ts";

const base = mkdtempSync(join(tmpdir(), "haft-install-"));
afterAll(() => rmSync(base, { recursive: true }));

/** A folder with programs of these names. */
function pathWith(...names: readonly string[]): string {
  const folder = mkdtempSync(join(base, "path-"));
  for (const name of names) {
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const rights = process.getuid?.() === 0 ? [] : ["sudo"];

describe("commandsToInstallBubblewrap()", needs("linux", process.platform === "linux"), () => {
  test("uses the package manager that is here, with sudo for whoever is not root", () => {
    expect(commandsToInstallBubblewrap(pathWith("dnf"))).toEqual([
      [...rights, "dnf", "install", "-y", "bubblewrap"],
    ]);
    const [update, install] = commandsToInstallBubblewrap(pathWith("apt-get", "dpkg")) ?? [];
    expect(update).toContain("update");
    expect(install).toEqual(expect.arrayContaining(["apt-get", "install", "bubblewrap"]));
  });

  test("has nothing to do where bubblewrap is installed, and knows none where no package manager is", () => {
    expect(commandsToInstallBubblewrap(pathWith("bwrap", "apt-get"))).toEqual([]);
    expect(commandsToInstallBubblewrap(pathWith())).toBeUndefined();
  });
});
