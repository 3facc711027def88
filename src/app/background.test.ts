import { existsSync, rmSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { Installation } from "../../test/support/installation.ts";
import { needs } from "../../test/support/needs.ts";

test(
  "a program that stays finds out what the sandbox of a new home holds, before a command needs it",
  needs("bubblewrap", inject("isolation") === "bubblewrap"),
  async () => {
    const place = new Installation();
    rmSync(place.home.sandboxProof, { force: true });
    const { app } = await place.open("tools: { search: { embedder: none } }");
    expect(existsSync(place.home.sandboxProof)).toBe(false);
    app.background.start([app.context], 0);
    await expect.poll(() => existsSync(place.home.sandboxProof)).toBe(true);
  },
);
