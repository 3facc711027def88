import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { readTimeZone } from "./time-zone.ts";

afterEach(() => vi.unstubAllEnvs());

test.for([
  ["Europe/Berlin", "Europe/Berlin"],
  [":America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["UTC", "UTC"],
  ["Etc/GMT+3", "Etc/GMT+3"],
  ["CET-1CEST,M3.5.0,M10.5.0/3", undefined],
  ["", undefined],
  [":/etc/localtime", undefined],
] as const)("readTimeZone() reads TZ=%s as %s, whatever the system is set to", ([variable, name]) => {
  expect(readTimeZone({ variable, link: "/nowhere" })).toBe(name);
});

test.for([
  ["/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"],
  ["../usr/share/zoneinfo/posix/Asia/Kathmandu", "Asia/Kathmandu"],
  ["/var/db/timezone/zoneinfo/America/Port-au-Prince", "America/Port-au-Prince"],
  ["/etc/my-time", undefined],
] as const)("readTimeZone() reads a link to %s as %s", ([target, name]) => {
  vi.stubEnv("TZ", undefined);
  const folder = mkdtempSync(join(tmpdir(), "haft-zone-"));
  const link = join(folder, "localtime");
  symlinkSync(target, link);
  expect(readTimeZone({ link })).toBe(name);
  rmSync(folder, { recursive: true });
});

test("readTimeZone() knows no zone without TZ and without the link", () => {
  vi.stubEnv("TZ", undefined);
  expect(readTimeZone({ link: "/nowhere/localtime" })).toBeUndefined();
});
