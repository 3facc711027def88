import { deepStrictEqual, match, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { NewArtifact } from "../kernel/index.ts";
import type { Artifacts } from "../modules/artifacts/index.ts";
import type { ContractCase } from "./contract-case.ts";

const scope = "local";

function put(artifacts: Artifacts, data: string | Uint8Array, more: Partial<NewArtifact> = {}) {
  return artifacts.put({ scope, callId: "c_1", kind: "output", mimeType: "text/plain", data, ...more });
}

/** Every page of a text, read as a model would: on from where the page before ended. */
async function readAll(artifacts: Artifacts, id: string, length: number): Promise<string> {
  let text = "";
  for (;;) {
    const page = await artifacts.readText(scope, id, { offset: text.length, length });
    ok(page !== undefined);
    strictEqual(page.offset, text.length);
    if (page.text === "") return text;
    text += page.text;
  }
}

/** Characters of one to four bytes of UTF-8, in an order that does not repeat with the size of a part. */
function mixedText(length: number): string {
  const words = ["plain ", "é", "漢字", "\u{1f600}", "\n", "\u{1d11e}x"];
  let text = "";
  for (let at = 0; text.length < length; at++) text += words[(at * 7 + (at >> 3)) % words.length];
  return text;
}

const textCases: readonly ContractCase<Artifacts>[] = [
  {
    name: "put() keeps a text that readText() gives back by pages and readBytes() as UTF-8",
    async run(artifacts) {
      const ref = await put(artifacts, "one two three");
      strictEqual(ref.chars, 13);
      deepStrictEqual(await artifacts.readText(scope, ref.id, { offset: 4, length: 3 }), {
        text: "two",
        offset: 4,
        totalChars: 13,
        trust: "trusted",
      });
      strictEqual(Buffer.from((await artifacts.readBytes(scope, ref.id)) ?? []).toString(), "one two three");
    },
  },
  {
    name: "readText() says of a text that came from outside that it is untrusted",
    async run(artifacts) {
      const kept = {
        scope,
        callId: "c_1",
        kind: "output",
        mimeType: "text/plain",
        data: "from a page",
      } as const;
      const { id } = await artifacts.put({ ...kept, trust: "untrusted" });
      strictEqual((await artifacts.readText(scope, id, { offset: 0, length: 4 }))?.trust, "untrusted");
      strictEqual((await artifacts.describe(scope, id))?.trust, "untrusted");
    },
  },
  {
    name: "put() makes ids that nobody can guess",
    async run(artifacts) {
      const one = await put(artifacts, "same");
      const two = await put(artifacts, "same");
      notStrictEqual(one.id, two.id);
      match(one.id, /^a_[0-9a-z]{20,}$/);
    },
  },
  {
    name: "put() keeps an empty text",
    async run(artifacts) {
      const { id, chars } = await put(artifacts, "");
      strictEqual(chars, 0);
      deepStrictEqual(await artifacts.readText(scope, id, { offset: 0, length: 10 }), {
        text: "",
        offset: 0,
        totalChars: 0,
        trust: "trusted",
      });
      strictEqual((await artifacts.readBytes(scope, id))?.byteLength, 0);
    },
  },
  ...[1000, 200_000, 1_000_000].map((size) => ({
    name: `readText() pages through ${size} units of mixed characters without losing one`,
    async run(artifacts: Artifacts) {
      const text = mixedText(size);
      const { id, chars } = await put(artifacts, text);
      strictEqual(chars, text.length);
      ok((await readAll(artifacts, id, Math.ceil(size / 7))) === text);
      const middle = await artifacts.readText(scope, id, { offset: size / 2, length: 100 });
      ok(middle !== undefined && middle.text.isWellFormed());
      strictEqual(middle.text, text.slice(middle.offset, middle.offset + middle.text.length));
    },
  })),
  ...[100_000, 600_000].map((size) => ({
    name: `readText() pages through ${size} units of ASCII`,
    async run(artifacts: Artifacts) {
      const text = Array.from({ length: size / 10 }, (_, line) => `${String(line).padStart(9, "0")}\n`).join(
        "",
      );
      const { id } = await put(artifacts, text);
      ok((await readAll(artifacts, id, 77_777)) === text);
    },
  })),
  ...[70_000, 300_000].map((pairs) => ({
    name: `readText() pages through ${pairs} surrogate pairs at odd offsets`,
    async run(artifacts: Artifacts) {
      const text = `a${"\u{1f600}".repeat(pairs)}`;
      for (const data of [text, Buffer.from(text)]) {
        const { id } = await put(artifacts, data);
        ok((await readAll(artifacts, id, 100_000)) === text);
      }
    },
  })),
  {
    name: "readText() never parts a surrogate pair, and always gets on",
    async run(artifacts) {
      const { id } = await put(artifacts, "a\u{1f600}b");
      const read = async (offset: number, length: number) => {
        const page = await artifacts.readText(scope, id, { offset, length });
        return [page?.offset, page?.text];
      };
      deepStrictEqual(await read(0, 2), [0, "a"]);
      deepStrictEqual(await read(0, 3), [0, "a\u{1f600}"]);
      deepStrictEqual(await read(1, 1), [1, "\u{1f600}"]);
      deepStrictEqual(await read(2, 2), [1, "\u{1f600}b"]);
      deepStrictEqual(await read(3, 9), [3, "b"]);
    },
  },
  {
    name: "readText() gives nothing past the end and takes what is out of bounds for the nearest bound",
    async run(artifacts) {
      const { id } = await put(artifacts, "abc");
      const read = async (offset: number, length: number) =>
        (await artifacts.readText(scope, id, { offset, length }))?.text;
      deepStrictEqual(
        await Promise.all([
          read(3, 5),
          read(99, 5),
          read(-5, 2),
          read(1, Number.MAX_SAFE_INTEGER),
          read(1, -1),
        ]),
        ["", "", "ab", "bc", ""],
      );
    },
  },
  {
    name: "put() writes lone surrogates as U+FFFD, so that offsets stay",
    async run(artifacts) {
      const { id, chars } = await put(artifacts, "a\ud800b");
      strictEqual(chars, 3);
      strictEqual((await artifacts.readText(scope, id, { offset: 0, length: 3 }))?.text, "a\ufffdb");
    },
  },
];

const bytesCases: readonly ContractCase<Artifacts>[] = [
  ...[1000, 3_000_000].map((size) => ({
    name: `readBytes() gives ${size} bytes back as they were`,
    async run(artifacts: Artifacts) {
      const data = Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);
      const { id } = await put(artifacts, data, { kind: "former", mimeType: "application/octet-stream" });
      ok(Buffer.from(data).equals((await artifacts.readBytes(scope, id)) ?? new Uint8Array()));
    },
  })),
  ...[500, 900_000].map((size) => ({
    name: `put() takes ${size} units of UTF-8 bytes for text, byte order mark and all`,
    async run(artifacts: Artifacts) {
      const text = `\ufeff${mixedText(size)}`;
      const { id, chars } = await put(artifacts, Buffer.from(text));
      strictEqual(chars, text.length);
      ok((await readAll(artifacts, id, Math.ceil(size / 3))) === text);
    },
  })),
  {
    name: "readText() refuses bytes that are no text with STORE_NOT_TEXT",
    async run(artifacts) {
      const { id } = await put(artifacts, Uint8Array.of(0xff, 0xfe, 0x00), { mimeType: "image/png" });
      await rejects(artifacts.readText(scope, id, { offset: 0, length: 1 }), { code: "STORE_NOT_TEXT" });
    },
  },
  {
    name: "describe() says what an artifact is",
    async run(artifacts) {
      const { id } = await put(artifacts, Uint8Array.of(0xff), { kind: "former", mimeType: "image/png" });
      const { createdAt, ...rest } = (await artifacts.describe(scope, id)) ?? {};
      strictEqual(typeof createdAt, "number");
      deepStrictEqual(rest, {
        id,
        scope,
        callId: "c_1",
        kind: "former",
        mimeType: "image/png",
        bytes: 1,
        chars: undefined,
        trust: "trusted",
      });
    },
  },
];

const scopeCases: readonly ContractCase<Artifacts>[] = [
  {
    name: "readText(), readBytes() and describe() know no artifact of another scope",
    async run(artifacts) {
      const { id } = await put(artifacts, "private", { scope: "acme/one" });
      for (const other of ["acme", "acme/one/sub", "acme/two", "", "%"]) {
        strictEqual(await artifacts.readText(other, id, { offset: 0, length: 9 }), undefined);
        strictEqual(await artifacts.readBytes(other, id), undefined);
        strictEqual(await artifacts.describe(other, id), undefined);
      }
      strictEqual((await artifacts.readText("acme/one", id, { offset: 0, length: 9 }))?.text, "private");
    },
  },
  {
    name: "readText() knows no id that never was, or that is a path",
    async run(artifacts) {
      for (const id of ["a_00000000000000000000", "", "../haft.db"]) {
        strictEqual(await artifacts.readText(scope, id, { offset: 0, length: 9 }), undefined);
      }
    },
  },
  {
    name: "prune() removes the oldest until the rest fits, and says how much went",
    async run(artifacts) {
      const large = "x".repeat(400_000);
      const refs = [await put(artifacts, large), await put(artifacts, "small"), await put(artifacts, large)];
      deepStrictEqual(await artifacts.prune({ maxBytes: 1_000_000 }), { artifacts: 0, bytes: 0 });
      deepStrictEqual(await artifacts.prune({ maxBytes: 0 }), { artifacts: 3, bytes: 800_005 });
      for (const { id } of refs) strictEqual(await artifacts.readBytes(scope, id), undefined);
    },
  },
];

/** What an artifact store keeps, pages through and refuses. */
export const artifactCases: readonly ContractCase<Artifacts>[] = [...textCases, ...bytesCases, ...scopeCases];
