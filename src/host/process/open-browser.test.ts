import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openInBrowser } from "./open-browser.ts";

/** A folder that is the whole PATH, with a browser in it that notes what it is given. */
function fakeBrowser(): { folder: string; noted: string } {
  const folder = mkdtempSync(join(tmpdir(), "haft-browser-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const noted = join(folder, "noted");
  const script = `#!/bin/sh\nfor one in "$@"; do printf '%s\\n' "$one" >> ${noted}.part; done\n/bin/mv ${noted}.part ${noted}\n`;
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { folder, noted };
}

test("openInBrowser() gives one argument, with nothing in it that a shell could run (CVE-2025-6514)", async () => {
  const { noted } = fakeBrowser();
  const url = new URL("https://a.example/x?a=$(touch owned)&b=`id`;c='\"|d{e}^f\\g&state=s#$(h)");
  expect(await openInBrowser(url)).toBe(true);
  await expect.poll(() => existsSync(noted)).toBe(true);
  const given = readFileSync(noted, "utf8").trimEnd().split("\n");
  expect(given).toHaveLength(1);
  expect(given[0]).toMatch(/^https:\/\/a\.example\/x\?[A-Za-z0-9\-._~:/?#[\]@!*+,;=&%]+$/);
  const opened = new URL(given[0] as string).searchParams;
  expect([opened.get("a"), opened.get("state")]).toEqual(["$(touch owned)", "s"]);
});

test.for(["file:///etc/passwd", "javascript:alert(1)", "ms-settings:x"])(
  "openInBrowser() throws for %s",
  (address) => {
    fakeBrowser();
    expect(() => openInBrowser(new URL(address))).toThrow("only http and https are web pages");
  },
);

test("openInBrowser() says that there is none", async () => {
  const { folder } = fakeBrowser();
  for (const name of ["xdg-open", "open"]) rmSync(join(folder, name));
  expect(await openInBrowser(new URL("https://a.example/"))).toBe(false);
});
