import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressesIn, bareHostsIn } from "./address.ts";
import { commandPairs } from "./command-pairs.ts";
import { type PieceKind, toKey, tokensIn, visitFindable } from "./pieces.ts";
import { listReadings } from "./readings.ts";

// What is read by hand finds what these patterns say: they are slow, and plain.

const patterns = {
  token: /[\p{L}\p{N}_-]{8,}/gu,
  path: /(?<![\p{L}\p{N}:/._~-])(?:(?:~|[\p{L}\p{N}_.-]+)(?:\/[\p{L}\p{N}_.@+-]+)+|(?:\/[\p{L}\p{N}_.@+-]+){2,})/gu,
  host: /(?<![\p{L}\p{N}@/._-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,24}(?![\p{L}\p{N}(_-]|\.\p{L})/gu,
  address: /[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'`<>\\^{}|]+/g,
  run: /[A-Za-z0-9+/_-]{12,}={0,2}/g,
  likeCode: /[$/\\=&~@%^]|^--?[a-z]|[a-z0-9]\.[a-z]/,
  mediaType: /^(?:application|audio|font|image|message|multipart|text|video)\/[\w.+-]+(?:;|$)/,
};

function findAll(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([found]) => found);
}

function codeByPatterns(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    const words = line
      .split(/\s+/)
      .map((part) => part.replace(/^[`'"([{]+|[`'")\]},;:.!?]+$/g, ""))
      .filter((word) => word !== "");
    for (let at = 0; at + 3 <= words.length; at++) {
      const three = words.slice(at, at + 3);
      const code = three.join(" ");
      if (code.length >= 8 && three.some((one) => patterns.likeCode.test(one))) found.push(code);
    }
  }
  return found;
}

function pathsByPatterns(text: string): string[] {
  return findAll(text, patterns.path)
    .map((found) => found.replace(/[.+-]+$/, ""))
    .filter((path) => path.length >= 8 && !patterns.mediaType.test(path));
}

const isProgram = (word: string) =>
  ["npm", "git", "k3s", "ansible-playbook"].includes(word) ||
  /^\.{0,2}\/[\w./-]+$|\.(sh|bash|py|js|mjs|ts|rb|pl|ps1|bat|cmd)$/.test(word);

function pairsByPatterns(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split(/[\n;&|()]+/)) {
    let before: string | undefined;
    for (const part of line.split(/\s+/)) {
      const word = part.replace(/^[`'"“‘[{]+|[`'"”’\]},:.!?]+$/g, "");
      if (word === "" || word.length > 100) continue;
      if (before !== undefined) found.push(`${before} ${word}`);
      before = isProgram(word) ? word : undefined;
    }
  }
  return found;
}

/** What base64 of a text that can be read stands for, and nothing else of it. */
function decodedByPatterns(run: string): string | undefined {
  try {
    const digits = run.replace(/=+$/, "").replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(digits), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function listKeys(text: string, wanted: PieceKind): number[] {
  const keys: number[] = [];
  visitFindable(text, 7, (kind, key) => {
    if (kind === wanted) keys.push(key);
  });
  return keys;
}

const words = [
  ..."npm git k3s ansible-playbook install ./run.sh deploy.py a.b --force -x ( ) ; & | \n \t \u00a0 \u3000".split(
    " ",
  ),
  ..."\" ' ` [ ] { } “ ” ‘ ’ , . : ! ? $ = ~ @ % ^ \\ / _ - # <".split(" "),
  ..."example.com www.example.org пример.сом user.id main.rs a.example.com( x@example.com 10.0.0.1".split(
    " ",
  ),
  ..."https://example.com/a/b?c=d#e http://user@[::1]:80/ x://y ftp://a.b/c). /usr/local/bin src/kernel/ text/html; ~/notes.txt".split(
    " ",
  ),
  ..."concurrencylimiter k8xq2vz9p1 abcd-1234-efgh-5678 2026-01-02 çağrılmışlardı 𝒶𝒷𝒸𝒹𝑒𝒻𝑔𝒽 日本語の長い文字列 ----------".split(
    " ",
  ),
  ..."aGVsbG8gd29ybGQgb2YgdGV4dHM= 68656c6c6f20776f726c64 c2VjcmV0LXZhbHVl_w== w6TDtsO8w6TDtsO8".split(" "),
  " ",
  "  ",
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: "grapheme", maxLength: 6 })), {
    maxLength: 40,
  })
  .chain((parts) => fc.constantFrom(" ", "", "\n").map((between) => parts.join(between).toLowerCase()));

const file = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8").toLowerCase();
const files = [file("../../../README.md"), file("../call/executor.ts"), file("../../../package.json")];

function checkAll(check: (text: string) => void): void {
  for (const text of files) check(text);
  fc.assert(fc.property(texts, check), { numRuns: 500 });
}

describe("what is read by hand is what the patterns say", () => {
  test("of tokens", () => {
    checkAll((text) => {
      const runs = findAll(text, patterns.token);
      const tokens = Array.from(tokensIn(text));
      expect(tokens).toEqual(runs.filter((run) => Array.from(tokensIn(run)).length > 0));
      expect(listKeys(text, "token")).toEqual(tokens.map((token) => toKey("token", token, 7)));
    });
  });

  test("of code", () => {
    checkAll((text) => {
      expect(listKeys(text, "code")).toEqual(codeByPatterns(text).map((code) => toKey("code", code, 7)));
    });
  });

  test("of paths", () => {
    checkAll((text) => {
      expect(listKeys(text, "path")).toEqual(pathsByPatterns(text).map((path) => toKey("path", path, 7)));
    });
  });

  test("of commands", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(Array.from(commandPairs(text))).toEqual(pairsByPatterns(text));
      }),
    );
  });

  test("of addresses and hosts", () => {
    checkAll((text) => {
      const hosts = findAll(text, patterns.host);
      const found = bareHostsIn(text);
      expect(found).toEqual(hosts.flatMap((host) => bareHostsIn(host)));
      const addresses = findAll(text, patterns.address);
      expect(addressesIn(text)).toEqual(addresses.flatMap((address) => addressesIn(address)));
    });
  });

  test("of base64", () => {
    const bytes = fc.uint8Array({ minLength: 9, maxLength: 40 });
    const readable = fc
      .string({ unit: "grapheme", minLength: 9 })
      .map((text) => new TextEncoder().encode(text));
    fc.assert(
      fc.property(fc.oneof(bytes, readable), fc.constantFrom("base64", "base64url"), (given, form) => {
        const run = Buffer.from(given).toString(form as "base64");
        if (run.includes("/") || findAll(run, patterns.run)[0] !== run) return;
        const said = decodedByPatterns(run)
          ?.normalize("NFKC")
          .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, "");
        const plain = `a ${run} b`;
        const readings = said === undefined || said === "" ? [plain] : [plain, said];
        expect(listReadings(plain)).toEqual(readings.map((reading) => reading.toLowerCase()));
      }),
      { numRuns: 2000 },
    );
  });
});
