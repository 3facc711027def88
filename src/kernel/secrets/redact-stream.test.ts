import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import type { ToolUpdate } from "../call/context.ts";
import { defineTool } from "../tool/tool.ts";
import { createRedactor } from "./redact.ts";

const secrets = new Map([
  ["KEY", "s3cr3t/+ key?&=é\"'!*"],
  ["LONG", "abcdefgh-abcdefgh-abcdefgi"],
  ["SHORT", "abcdefgh"],
  ["SAME", "aaaaaaaaaa"],
]);

function listForms(secret: string): string[] {
  const at = (before: string) => Buffer.from(`${before}${secret}xyz`).toString("base64").slice(4, -4);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("hex").toUpperCase(),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    at("a"),
    at("ab"),
    at("abc"),
  ];
}

const forms = [...secrets.values()].flatMap(listForms);
/** Texts of secrets, of parts of secrets, and of what has nothing to do with them. */
const piece = fc.oneof(
  fc.constantFrom(...forms),
  fc.constantFrom(...forms).chain((form) => fc.nat(form.length).map((length) => form.slice(0, length))),
  fc.constantFrom(...forms).chain((form) => fc.nat(form.length).map((from) => form.slice(from))),
  fc.string({ maxLength: 12 }),
  fc.constantFrom("a", "ab", " ", "\n"),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

/** The text in chunks of these lengths, over and over. */
function split(whole: string, lengths: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    chunks.push(whole.slice(at, at + length));
    at += length;
  }
  return chunks;
}

const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });

describe("createRedactor().stream()", () => {
  test("gives for any split of any text what redact() gives for the whole: nothing leaks, nothing else is lost", () => {
    const redact = createRedactor(secrets);
    fc.assert(
      fc.property(text, lengths, (whole, parts) => {
        const stream = redact.stream();
        const shown = split(whole, parts).map((chunk) => stream.push(chunk));
        shown.push(stream.end(false));
        expect(shown.join("")).toBe(redact(whole));
        for (const form of secrets.values()) expect(shown.join("")).not.toContain(form);
      }),
      { numRuns: 3000 },
    );
  });

  test("shows a secret's beginning in no split at all", () => {
    const redact = createRedactor(new Map([["KEY", "s3cr3t-value"]]));
    for (let cut = 1; cut < 12; cut++) {
      const stream = redact.stream();
      const shown = [
        stream.push(`key: ${"s3cr3t-value".slice(0, cut)}`),
        stream.push(`${"s3cr3t-value".slice(cut)}.`),
      ];
      expect(shown).toEqual(["key: ", "[redacted:KEY]."]);
      expect(stream.end(false)).toBe("");
    }
  });

  test("holds back nothing that can't be the beginning of a secret", () => {
    const stream = createRedactor(new Map([["KEY", "s3cr3t-value"]])).stream();
    expect(stream.push("an ordinary line\n")).toBe("an ordinary line\n");
    expect(stream.push("class s")).toBe("class ");
    expect(stream.push("ize")).toBe("size");
  });

  test("takes the beginning of a secret for one where the text was cut, and gives it back where it was not", () => {
    const redact = createRedactor(new Map([["KEY", "s3cr3t-value"]]));
    const [whole, cut, short] = [redact.stream(), redact.stream(), redact.stream()];
    for (const stream of [whole, cut]) expect(stream.push("key: s3cr3t-val")).toBe("key: ");
    expect(whole.end(false)).toBe("s3cr3t-val");
    expect(cut.end(true)).toBe("[redacted:KEY]");
    expect(short.push("key: s3c")).toBe("key: ");
    expect(short.end(true)).toBe("s3c");
  });

  test("learns secrets while it runs, and redact() with it", () => {
    const redact = createRedactor(new Map());
    const stream = redact.stream();
    expect(stream.push("s3cr3t-value ")).toBe("s3cr3t-value ");
    redact.learn("KEY", "s3cr3t-value");
    expect(stream.push("s3cr3t-")).toBe("");
    expect(stream.push("value")).toBe("[redacted:KEY]");
    expect(redact("s3cr3t-value")).toBe("[redacted:KEY]");
  });

  test("leaves JSON what was JSON, whatever the name", () => {
    const redact = createRedactor(new Map([['a "name"\\\n', "s3cr3t-value"]]));
    expect(JSON.parse(redact(JSON.stringify({ a: "s3cr3t-value" })))).toEqual({
      a: expect.stringMatching(/^\[redacted:a /),
    });
  });
});

const cutInTwo = ["one s3cr3t", "-value two", " s3cr3t-va", "l"];

function showing(execute: Parameters<typeof defineTool>[0]["execute"]) {
  return defineTool({
    name: "show",
    description: "Shows output in pieces.",
    parameters: { type: "object" },
    annotations: { readOnly: true, openWorld: false },
    execute,
  });
}

async function collectUpdates(tool: ReturnType<typeof showing>) {
  const { executor } = createTestExecutor([tool], {
    redact: createRedactor(new Map([["KEY", "s3cr3t-value"]])),
  });
  const updates: ToolUpdate[] = [];
  const result = await executor.execute("show", {}, { onUpdate: (update) => updates.push(update) });
  const shown = updates.map((update) => (update.type === "output" ? update.text : "")).join("");
  return { result, shown };
}

describe("ToolExecutor.execute()", () => {
  test.each([
    [
      "yields",
      async function* () {
        for (const text of cutInTwo) yield { type: "output" as const, text };
        return "done";
      },
    ],
    [
      "shows and returns at once",
      (_: never, context: { output(text: string): void }) => {
        for (const text of cutInTwo) context.output(text);
        return "done";
      },
    ],
    [
      "shows and returns later",
      async (_: never, context: { output(text: string): void }) => {
        for (const text of cutInTwo) {
          context.output(text);
          await Promise.resolve();
        }
        return "done";
      },
    ],
  ])(
    "redacts a secret cut in two in what a tool %s, and shows the rest before the end",
    async (_, execute) => {
      const { result, shown } = await collectUpdates(showing(execute as never));
      expect(result).toMatchObject({ success: true, result: "done" });
      expect(shown).toBe("one [redacted:KEY] two s3cr3t-val");
    },
  );

  test("redacts a secret cut in two in the partial output of a failure", async () => {
    const { result, shown } = await collectUpdates(
      showing(async (_, context) => {
        for (const text of cutInTwo) context.output(text);
        throw new Error("s3cr3t-value");
      }),
    );
    expect(result).toMatchObject({
      success: false,
      error: "[redacted:KEY]",
      partial: "one [redacted:KEY] two s3cr3t-val",
    });
    expect(shown).toBe("one [redacted:KEY] two s3cr3t-val");
  });

  test("takes the beginning of a secret for one where the deadline cut the output", async () => {
    const tool = showing(
      (_, context) =>
        new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
          for (const text of cutInTwo) context.output(text);
        }),
    );
    const { executor, clock } = createTestExecutor([tool], {
      redact: createRedactor(new Map([["KEY", "s3cr3t-value"]])),
    });
    const pending = executor.execute("show", {});
    await clock.advance(30_000);
    expect(await pending).toMatchObject({
      code: "TOOL_TIMEOUT",
      partial: "one [redacted:KEY] two [redacted:KEY]",
    });
  });
});
