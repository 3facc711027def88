import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import { type ArtifactStore, ToolExecutor, ToolRegistry, type ToolResult } from "../../kernel/index.ts";
import { systemTools } from "./system-tools.ts";

const store = await openStore({ path: ":memory:" });
afterAll(() => store.close());

function gate(artifacts: ArtifactStore = store.artifacts, clock: Clock = systemClock): ToolExecutor {
  const registry = new ToolRegistry();
  registry.registerMany(systemTools({ artifacts, clock }));
  return new ToolExecutor(registry, { clock });
}

const executor = gate();

async function keep(data: string | Uint8Array, scope = "local"): Promise<string> {
  return (await store.artifacts.put({ scope, callId: "c_1", kind: "output", mimeType: "text/plain", data }))
    .id;
}

function call(name: string, params: unknown): Promise<ToolResult> {
  return executor.execute(name, params);
}

test("artifact_read gives a page and says how to go on, until the end", async () => {
  const text = Array.from({ length: 9000 }, (_, index) => `line ${index}\n`).join("");
  const id = await keep(text);
  let read = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const result: ToolResult = await call("artifact_read", { id, offset });
    if (!result.success) throw new Error(result.error);
    const { next_offset: next } = result.result as { next_offset: number | null };
    const end =
      next === null
        ? `${text.length} of ${text.length}; this is the end]`
        : `${next} of ${text.length}; continue with offset ${next}]`;
    expect(result.text.endsWith(`\n[characters ${offset} to ${end}`)).toBe(true);
    expect(result).not.toHaveProperty("artifact");
    read += result.text.slice(0, result.text.lastIndexOf("\n["));
    offset = next;
  }
  expect(read).toBe(text);
});

test("artifact_read takes an offset and a length, and never cuts through a character", async () => {
  const id = await keep("ab😀cd");
  expect((await call("artifact_read", { id, offset: 1, length: 1 })).text).toBe(
    "b\n[characters 1 to 2 of 6; continue with offset 2]",
  );
  expect((await call("artifact_read", { id, length: 3 })).text).toBe(
    "ab\n[characters 0 to 2 of 6; continue with offset 2]",
  );
  expect((await call("artifact_read", { id, offset: 4 })).text).toBe(
    "cd\n[characters 4 to 6 of 6; this is the end]",
  );
  expect((await call("artifact_read", { id, offset: 99 })).text).toBe(
    "\n[nothing at 99 of 6; this is the end]",
  );
  for (const wrong of [{ offset: -1 }, { length: 0 }, { length: 20_001 }, { offset: 0.5 }]) {
    expect(await call("artifact_read", { id, ...wrong })).toMatchObject({ code: "TOOL_VALIDATION" });
  }
});

test("artifact_read and artifact_search know nothing of another scope's artifact", async () => {
  const id = await keep("secret of somebody else", "other");
  expect(await call("artifact_read", { id })).toMatchObject({ success: false, code: "ARTIFACT_NOT_FOUND" });
  expect(await call("artifact_search", { id, pattern: "secret" })).toMatchObject({
    success: false,
    code: "ARTIFACT_NOT_FOUND",
  });
});

test("artifact_search finds plain text, with line, offset and the lines around", async () => {
  const id = await keep("one\r\ntwo (2)\nthree\nTWO (2)\nfive\n");
  expect((await call("artifact_search", { id, pattern: "two (2)" })).text).toBe(
    "2: two (2)  (offset 5)\n[1 match in 32 characters]",
  );
  expect((await call("artifact_search", { id, pattern: "o (2)", ignore_case: true, context: 1 })).text).toBe(
    "  1  one\n2: two (2)  (offset 7)\n  3  three\n  3  three\n4: TWO (2)  (offset 21)\n  5  five\n[2 matches in 32 characters]",
  );
  expect(await call("artifact_search", { id, pattern: "four" })).toMatchObject({
    text: "[no match in 32 characters]",
    result: { matches: [], total_chars: 32, next_offset: null },
  });
});

test("artifact_search takes regular expressions, and refuses those that need more than linear time", async () => {
  const id = await keep(`${"a".repeat(50_000)}!\nkey=1\nkey=22\n`);
  expect(
    await call("artifact_search", { id, pattern: "^KEY=(\\d{2})$", regex: true, ignore_case: true }),
  ).toMatchObject({
    result: { matches: [{ line: 3, offset: 50_008, text: "key=22" }] },
  });
  expect((await call("artifact_search", { id, pattern: "(a+)+$", regex: true })).text).toBe(
    "[no match in 50015 characters]",
  );
  for (const pattern of ["(?<=a)b", "(a)\\1", "("]) {
    expect(await call("artifact_search", { id, pattern, regex: true })).toMatchObject({
      success: false,
      code: "ARTIFACT_PATTERN",
    });
  }
});

test("artifact_search gives as many matches as wanted and says where to go on", async () => {
  const id = await keep("hit\n".repeat(50));
  const first = await call("artifact_search", { id, pattern: "hit", max_results: 3 });
  expect(first.text).toBe(
    "1: hit  (offset 0)\n2: hit  (offset 4)\n3: hit  (offset 8)\n[3 matches shown, of 200 characters; continue with offset 12]",
  );
  const last = await call("artifact_search", { id, pattern: "hit", offset: 192 });
  expect(last.text).toBe("49: hit  (offset 192)\n50: hit  (offset 196)\n[2 matches in 200 characters]");
});

test("artifact_search finds what lies across the edges of pages and in one endless line", async () => {
  const filler = "x".repeat(65_500);
  const text = Array.from({ length: 12 }, (_, index) => `${filler}<needle ${index}>`).join("");
  const id = await keep(text);
  const result = await call("artifact_search", { id, pattern: "<needle", max_results: 100 });
  const { matches } = (result.success ? result.result : {}) as {
    matches: { line: number; offset: number; text: string }[];
  };
  expect(matches.map(({ line, offset }) => ({ line, offset }))).toEqual(
    Array.from(text.matchAll(/<needle/g), ({ index }) => ({ line: 1, offset: index })),
  );
  expect(matches[1]?.text).toBe(`…${"x".repeat(100)}<needle 1>${"x".repeat(190)}…`);
});

test("artifact_search tells of matches close together in one line once, with their surroundings", async () => {
  const id = await keep(`${"ab".repeat(100)}${" ".repeat(300)}ab`);
  const result = await call("artifact_search", { id, pattern: "ab" });
  expect(result).toMatchObject({ result: { matches: [{ offset: 0 }, { offset: 500 }] } });
});

test("artifact_search stops before its deadline with what it has, and says where to go on", async () => {
  const text = "early\n" + `${"y".repeat(999)}\n`.repeat(2000);
  const id = await keep(text);
  let now = 0;
  const clock: Clock = { now: () => (now += 9000), after: () => () => {} };
  const result = await gate(store.artifacts, clock).execute("artifact_search", { id, pattern: "early" });
  const { next_offset: next } = (result.success ? result.result : {}) as { next_offset: number };
  expect(result.text).toBe(
    `1: early  (offset 0)\n[1 match before the time was up, of ${text.length} characters; continue with offset ${next}]`,
  );
  expect([next > 0, next < text.length, text[next - 1]]).toEqual([true, true, "\n"]);
});

test("artifact_search searches 100 MB without holding them", async () => {
  const line = `${"0123456789".repeat(9)}abcdefghi\n`;
  const total = 100_000_000;
  const block = line.repeat(10_000);
  const large: ArtifactStore = {
    put: () => Promise.reject(new Error("It is only read")),
    readBytes: () => Promise.reject(new Error("It is never read whole")),
    readText: (_scope, _id, { offset, length }) =>
      Promise.resolve({
        offset,
        totalChars: total,
        trust: "trusted",
        text:
          offset >= total - length
            ? `${"z".repeat(total - offset - 5)}found`
            : block.slice(offset % 100, (offset % 100) + length),
      }),
  };
  const result = await gate(large).execute("artifact_search", { id: "a", pattern: "found" });
  expect(result).toMatchObject({
    success: true,
    result: { matches: [{ offset: total - 5 }], next_offset: null },
  });
});

test("artifact_read and artifact_search answer every naughty string, and find it", async () => {
  const naughty = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../test/corpora/strings/blns.json"), "utf8"),
  ) as string[];
  const id = await keep(naughty.join("\n"));
  for (const text of naughty) {
    expect(await call("artifact_read", { id: text })).toMatchObject({ code: "ARTIFACT_NOT_FOUND" });
    expect(await call("artifact_search", { id: text, pattern: "x" })).toMatchObject({
      code: "ARTIFACT_NOT_FOUND",
    });
    const found = await call("artifact_search", { id, pattern: text });
    if (found.success) expect((found.result as { matches: unknown[] }).matches).not.toEqual([]);
    else expect([text === "" || /[\r\n]/.test(text), found.code]).toEqual([true, "TOOL_VALIDATION"]);
    const insensitive = await call("artifact_search", { id, pattern: text, ignore_case: true });
    expect(insensitive.success).toBe(found.success);
    const regex = await call("artifact_search", { id, pattern: text, regex: true });
    if (!regex.success) expect(regex.code).toMatch(/^(ARTIFACT_PATTERN|TOOL_VALIDATION)$/);
  }
});
