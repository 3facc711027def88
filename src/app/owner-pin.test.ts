import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { Home } from "./home.ts";
import { OwnerPin } from "./owner-pin.ts";

function newPin() {
  const folder = mkdtempSync(join(tmpdir(), "haft-pin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = createFakeClock();
  const home = new Home(folder);
  return { home, folder, clock, pin: new OwnerPin(home, clock) };
}

test("OwnerPin asks for nothing until a PIN is set, and for that one from then on", async () => {
  const { pin } = newPin();
  expect(pin.isSet).toBe(false);
  await pin.check(undefined);
  await pin.set("2468");
  expect(pin.isSet).toBe(true);
  await pin.check("2468");
  await expect(pin.check(undefined)).rejects.toMatchObject({ code: "PIN_REQUIRED" });
  await expect(pin.check("2469")).rejects.toMatchObject({ code: "PIN_WRONG" });
  await pin.set("a new one");
  await expect(pin.check("2468")).rejects.toMatchObject({ code: "PIN_WRONG" });
  await pin.check("a new one");
  pin.remove();
  await pin.check(undefined);
});

test("OwnerPin keeps a slow hash, for its owner's eyes only", async () => {
  const { pin } = newPin();
  await pin.set("2468");
  expect(readFileSync(pin.file, "utf8")).not.toContain("2468");
  expect(statSync(pin.file).mode & 0o077).toBe(0);
});

test("OwnerPin makes who guesses wait longer each time, also in another process", async () => {
  const { pin, home, clock } = newPin();
  await pin.set("2468");
  for (const guess of ["1", "2", "3"])
    await expect(pin.check(guess)).rejects.toMatchObject({ code: "PIN_WRONG" });
  const later = new OwnerPin(home, clock);
  await expect(later.check("2468")).rejects.toMatchObject({
    code: "PIN_LOCKED",
    message: expect.stringContaining("5 s"),
  });
  await clock.advance(5000);
  await expect(later.check("4")).rejects.toMatchObject({ code: "PIN_WRONG" });
  await clock.advance(9999);
  await expect(later.check("2468")).rejects.toMatchObject({ code: "PIN_LOCKED" });
  await clock.advance(1);
  await later.check("2468");
  await pin.check("2468");
});

test("OwnerPin looks at no more than one of many guesses that come at once", async () => {
  const { pin } = newPin();
  await pin.set("2468");
  const codes = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => pin.check(`guess ${at}`)));
  const looked = codes.filter((one) => one.status === "rejected" && one.reason.code === "PIN_WRONG");
  expect(looked.length).toBeLessThanOrEqual(3);
  expect(codes.every(({ status }) => status === "rejected")).toBe(true);
});

test("OwnerPin takes a file that it can't read for a PIN that nobody knows", async () => {
  const { pin } = newPin();
  writeFileSync(pin.file, "{}");
  await expect(pin.check("2468")).rejects.toMatchObject({ code: "PIN_WRONG" });
});

test.for(["", "123", "x".repeat(201)])(
  "OwnerPin takes no PIN that is too short or too long",
  async (unfit) => {
    await expect(newPin().pin.set(unfit)).rejects.toMatchObject({ code: "PIN_UNFIT" });
  },
);
