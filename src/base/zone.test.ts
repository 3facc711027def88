import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatDay, readZone } from "./zone.ts";

const losAngeles = readZone("America/Los_Angeles");
const auckland = readZone("Pacific/Auckland");

test("a wall time is what clocks show there, in summer and in winter", () => {
  expect(losAngeles.toWallTime(Date.parse("2026-11-23T03:00:00Z"))).toBe(Date.parse("2026-11-22T19:00:00Z"));
  expect(losAngeles.toWallTime(Date.parse("2026-07-01T03:00:00Z"))).toBe(Date.parse("2026-06-30T20:00:00Z"));
  expect(auckland.toWallTime(Date.parse("2026-11-23T12:30:00.250Z"))).toBe(
    Date.parse("2026-11-24T01:30:00.250Z"),
  );
  expect(readZone("Asia/Kathmandu").toWallTime(0)).toBe(5.5 * 3_600_000);
});

test("fromWallTime() leads back, also on the days on which clocks change", () => {
  for (const zone of [losAngeles, auckland, readZone("Europe/Berlin"), readZone("UTC")]) {
    for (let at = Date.parse("2026-01-01T00:30:00Z"); at < Date.parse("2027-01-01"); at += 7 * 3_600_000) {
      const wallTime = zone.toWallTime(at);
      // What clocks show twice means either hour.
      expect(Math.abs(zone.fromWallTime(wallTime) - at)).toBeLessThanOrEqual(3_600_000);
      expect(zone.toWallTime(zone.fromWallTime(wallTime))).toBe(wallTime);
    }
  }
  const skipped = Date.parse("2026-03-29T02:30:00Z");
  const berlin = readZone("Europe/Berlin");
  expect(new Date(berlin.fromWallTime(skipped)).toISOString()).toMatch(/^2026-03-29T0[01]:30/);
});

test("formatDay() dates a moment as people there do", () => {
  const evening = Date.parse("2026-11-23T03:00:00Z");
  expect(formatDay(evening, losAngeles)).toBe("2026-11-22");
  expect(formatDay(evening, auckland)).toBe("2026-11-23");
});

test("the zone of the machine is that of TZ", () => {
  const script = `
    import { systemZone } from ${JSON.stringify(new URL("./zone.ts", import.meta.url).href)};
    const times = ["2026-03-08T09:59:00Z", "2026-03-08T10:01:00Z", "2026-11-23T03:00:00Z"].map(Date.parse);
    console.log(JSON.stringify(times.map((at) => [systemZone.toWallTime(at), systemZone.fromWallTime(systemZone.toWallTime(at))])));
  `;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, TZ: "America/Los_Angeles", NODE_OPTIONS: "" },
    encoding: "utf8",
  });
  const times = ["2026-03-08T09:59:00Z", "2026-03-08T10:01:00Z", "2026-11-23T03:00:00Z"].map((time) =>
    Date.parse(time),
  );
  expect(JSON.parse(printed)).toEqual(times.map((at) => [losAngeles.toWallTime(at), at]));
});
