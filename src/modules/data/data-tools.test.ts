import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolExecutor, ToolRegistry, type ToolResult } from "../../kernel/index.ts";
import { dataTools } from "./data-tools.ts";

const registry = new ToolRegistry();
registry.registerMany(dataTools());
const executor = new ToolExecutor(registry, { maxOutputChars: 10_000_000 });

function call(name: string, params: unknown): Promise<ToolResult> {
  return executor.execute(name, params);
}

const corpora = join(import.meta.dirname, "../../../test/corpora");
const suite = join(corpora, "json-test-suite/test_parsing");
const naughty = JSON.parse(readFileSync(join(corpora, "strings/blns.json"), "utf8")) as string[];

test("json_parse and json_stringify turn text into data and back", async () => {
  const data = { a: [1, null, "ü"], b: { c: true } };
  expect(await call("json_parse", { text: JSON.stringify(data) })).toMatchObject({
    success: true,
    result: { data },
  });
  expect(await call("json_stringify", { data })).toMatchObject({
    result: { text: '{"a":[1,null,"ü"],"b":{"c":true}}' },
  });
  expect(await call("json_stringify", { data: { a: 1 }, pretty: true })).toMatchObject({
    result: { text: '{\n  "a": 1\n}' },
  });
  expect(await call("json_stringify", { data: null })).toMatchObject({ result: { text: "null" } });
  expect(await call("json_stringify", {})).toMatchObject({ success: false, code: "TOOL_VALIDATION" });
});

test("json_parse says where a text stops being JSON", async () => {
  expect(await call("json_parse", { text: '{"a": 1,}' })).toMatchObject({
    success: false,
    code: "JSON_INVALID",
    error: expect.stringMatching(
      /^Cannot parse JSON: .*position 8 \(line 1 column 9\); correct the text there$/,
    ),
  });
});

test("json_parse meets the JSON test suite: takes what must be taken, refuses what must be refused", async () => {
  const wrong: string[] = [];
  const files = readdirSync(suite).filter((file) => file.endsWith(".json"));
  expect(files.length).toBeGreaterThan(300);
  for (const file of files) {
    const result = await call("json_parse", { text: readFileSync(join(suite, file), "utf8") });
    const refused = !result.success && ["JSON_INVALID", "JSON_DEPTH"].includes(result.code);
    const fits = { y: result.success, n: refused, i: result.success || refused }[file[0] as "y" | "n" | "i"];
    if (!fits) wrong.push(file);
  }
  expect(wrong).toEqual([]);
});

test("json_parse and json_stringify refuse data that nests too deep, however deep", async () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(await call("json_parse", { text: nested(1000) })).toMatchObject({ success: true });
  for (const depth of [1001, 5000, 1_000_000]) {
    expect(await call("json_parse", { text: nested(depth) })).toMatchObject({
      success: false,
      code: "JSON_DEPTH",
    });
  }
  expect(await call("json_parse", { text: '{"a":'.repeat(2000) })).toMatchObject({ code: "JSON_DEPTH" });
  expect(await call("json_parse", { text: `"${"[".repeat(2000)}\\""` })).toMatchObject({ success: true });
  const [parse, stringify] = dataTools();
  expect(parse?.name).toBe("json_parse");
  const run = (data: unknown) => () => stringify?.execute({ data } as never, {} as never);
  expect(run(JSON.parse(nested(100_000)))).toThrow("more than 1000 levels");
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  expect(run(circular)).toThrow("contains itself");
  expect(run(1n)).toThrow("Cannot write JSON");
  expect(run(undefined)).toThrow("has no JSON form");
});

test("json_parse keeps a key named __proto__ as data, and the last of equal keys", async () => {
  const result = await call("json_parse", { text: '{"__proto__": {"polluted": 1}, "a": 1, "a": 2}' });
  expect(result.text).toBe('{"data":{"__proto__":{"polluted":1},"a":2}}');
  expect({}).not.toHaveProperty("polluted");
});

test("json_parse notes what its data can't say", async () => {
  expect(
    await call("json_parse", {
      text: '\ufeff{"id": 12345678901234567890, "big": 1e999, "fine": [1e3, 9007199254740992, "12345678901234567891"]}',
    }),
  ).toMatchObject({
    result: {
      data: { id: 12345678901234567000, fine: [1000, 9007199254740992, "12345678901234567891"] },
      notes: [
        "left out the byte order mark at the beginning",
        "numbers that a 64-bit float can't hold exactly, for instance 12345678901234567890, 1e999; have them written as strings",
      ],
    },
  });
});

test("json_parse gives back any JSON value that was written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ noUnicodeString: false, maxDepth: 6 }), async (value) => {
      const written = await call("json_stringify", { data: value });
      const { text } = (written.success ? written.result : {}) as { text: string };
      const read = await call("json_parse", { text });
      const { data } = (read.success ? read.result : {}) as { data: unknown };
      expect(JSON.stringify(data)).toBe(JSON.stringify(value));
    }),
  );
});

test("base64_encode and base64_decode turn any text into Base64 and back", async () => {
  expect(await call("base64_encode", { text: "grüße 😀" })).toMatchObject({
    result: { encoded: "Z3LDvMOfZSDwn5iA" },
  });
  for (const text of ["", "a", "ab", "abc", "\ufeffmark", "\0", ...naughty]) {
    const encoded = Buffer.from(text).toString("base64");
    expect(await call("base64_encode", { text })).toMatchObject({ result: { encoded } });
    expect(await call("base64_decode", { encoded })).toMatchObject({ result: { decoded: text } });
    expect(await call("base64_decode", { encoded: Buffer.from(text).toString("base64url") })).toMatchObject(
      encoded.endsWith("=") && !/[+/]/.test(encoded)
        ? { code: "BASE64_INVALID" }
        : { result: { decoded: text } },
    );
  }
});

test("base64_decode skips line breaks and spaces", async () => {
  expect(await call("base64_decode", { encoded: " aGVs\r\nbG8= \n" })).toMatchObject({
    result: { decoded: "hello" },
  });
});

test.for([
  {
    encoded: "aGVsbG8",
    error:
      'Cannot decode Base64: with 7 characters it is not a multiple of 4; complete it with "=" if nothing was cut off',
  },
  {
    encoded: "a",
    error:
      "Cannot decode Base64: its length of 1 is one too many or three too few, so it was cut off; give all of it",
  },
  {
    encoded: "aGVs!G8=",
    error:
      'Cannot decode Base64: the character "!" at position 4 (spaces not counted) is not of the standard alphabet; correct it',
  },
  {
    encoded: "a-b/",
    error:
      'Cannot decode Base64: the character "/" at position 3 (spaces not counted) is not of the URL alphabet; correct it',
  },
  {
    encoded: "a=Gv",
    error:
      'Cannot decode Base64: the character "=" at position 1 (spaces not counted) is not of the standard alphabet; correct it',
  },
  {
    encoded: "aGVsbG8===",
    error:
      'Cannot decode Base64: the character "=" at position 7 (spaces not counted) is not of the standard alphabet; correct it',
  },
  {
    encoded: "aGVsbG9=",
    error:
      "Cannot decode Base64: its last character has bits that belong to no byte, so it was cut off or changed; give it as it was made",
  },
])("base64_decode refuses $encoded and says why", async ({ encoded, error }) => {
  expect(await call("base64_decode", { encoded })).toMatchObject({
    success: false,
    code: "BASE64_INVALID",
    error,
  });
});

test("base64_decode refuses bytes that are no text instead of mangling them", async () => {
  expect(await call("base64_decode", { encoded: "iVBORw0KGgoAAAANSUhEUgAAAAE=" })).toMatchObject({
    success: false,
    code: "TEXT_INVALID",
    details: { bytes: 20, firstBytesHex: "89504e470d0a1a0a0000000d49484452" },
  });
  expect(await call("base64_encode", { text: "\ud800" })).toMatchObject({ code: "TEXT_INVALID" });
});

test("base64_decode and json_parse answer every naughty string", async () => {
  for (const text of naughty) {
    const decoded = await call("base64_decode", { encoded: text });
    if (!decoded.success) expect(decoded.code).toMatch(/^(BASE64|TEXT)_INVALID$/);
    const parsed = await call("json_parse", { text });
    if (!parsed.success) expect(parsed.code).toBe("JSON_INVALID");
    expect(await call("json_parse", { text: JSON.stringify(text) })).toMatchObject({
      result: { data: text },
    });
    expect(await call("json_stringify", { data: text })).toMatchObject({
      result: { text: JSON.stringify(text) },
    });
  }
});
