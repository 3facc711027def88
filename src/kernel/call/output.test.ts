import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingArtifacts } from "../../../test/support/test-executor.ts";
import { ToolError } from "../errors.ts";
import { createRedactor } from "../secrets/redact.ts";
import { type ContentBlock, ToolContent } from "../tool/content.ts";
import { defineTool, type ToolOutcome } from "../tool/tool.ts";
import type { ToolContext, ToolUpdate } from "./context.ts";
import type { ExecutorOptions } from "./executor-options.ts";
import type { ToolResult } from "./result.ts";

function toolThat(execute: (context: ToolContext) => ToolOutcome) {
  return defineTool({
    name: "show",
    description: "Show something.",
    parameters: z.object({}),
    execute: (_, context) => execute(context),
  });
}

function show(value: unknown, options: ExecutorOptions = {}): Promise<ToolResult> {
  return createTestExecutor([toolThat(() => value)], options).executor.execute(
    "show",
    {},
    { callId: "c1", scope: "s" },
  );
}

describe("what fits", () => {
  test.for<[string, unknown, string]>([
    ["a text", "as it is", "as it is"],
    ["an empty text", "", ""],
    ["nothing", undefined, ""],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["false", false, "false"],
    ["an object", { a: [1] }, '{"a":[1]}'],
    ["what JSON leaves out", { a: undefined, b: () => 1 }, "{}"],
  ])("ToolExecutor.execute() gives %s as its value and as text", async ([, value, text]) => {
    expect(await show(value)).toMatchObject({ success: true, result: value, text, notes: [] });
  });

  test("ToolExecutor.execute() gives text of exactly the limit whole", async () => {
    const [fits, cut] = await Promise.all([show("x".repeat(25_000)), show("x".repeat(25_001))]);
    expect(fits.text).toBe("x".repeat(25_000));
    expect(cut.text).toContain("characters left out here");
  });

  test.for<[string, unknown]>([
    ["a cycle", [] as unknown[]],
    ["a BigInt", { n: 1n }],
  ])(
    "ToolExecutor.execute() says that a result with %s can't be shown, though the call was done",
    async ([, value]) => {
      if (Array.isArray(value)) value.push(value);
      expect(await show(value)).toMatchObject({
        success: false,
        code: "TOOL_OUTPUT",
        error: expect.stringContaining("the call itself was done"),
      });
    },
  );
});

describe("what is over the limit", () => {
  const long = `${"é".repeat(20_000)}${"ü".repeat(20_000)}`;

  test("ToolExecutor.execute() gives head, tail, size and the id of an artifact that has the whole", async () => {
    const artifacts = new RecordingArtifacts();
    const result = await show(long, { artifacts });
    expect(artifacts.kept).toEqual([
      {
        scope: "s",
        callId: "c1",
        kind: "output",
        mimeType: "text/plain",
        trust: "untrusted",
        data: long,
      },
    ]);
    const { text } = result;
    expect(text.length).toBeLessThanOrEqual(25_000);
    expect(text.length).toBeGreaterThan(24_000);
    const [, head = "", left, how] =
      /^(é+)\n\[… (\d+) of 40000 characters left out here; (.*) …\]\nü+$/.exec(text) ?? [];
    expect(how).toBe(
      `read them with artifact_read {"id":"x_1","offset":${head.length}}, or find a part with artifact_search`,
    );
    expect(Number(left)).toBe(40_000 - (text.match(/[éü]/g) ?? []).length);
    expect(result).toMatchObject({
      success: true,
      result: text,
      artifact: { id: "x_1", chars: 40_000 },
      notes: ["output: 40000 characters, kept as x_1"],
    });
  });

  test("ToolExecutor.execute() says that the rest was not kept where there is no store", async () => {
    const result = await show(long);
    expect(result.text).toContain("characters left out here; they were not kept …]");
    expect(result.artifact).toBeUndefined();
  });

  test("ToolExecutor.execute() lets the result stand if the store can't take its output, and says so", async () => {
    const artifacts = new RecordingArtifacts();
    const full = new Error("disk full");
    artifacts.put = () => Promise.reject(full);
    const errors: unknown[] = [];
    const result = await show(long, { artifacts, onError: (error) => errors.push(error) });
    expect(result).toMatchObject({ success: true, notes: ["output: the whole of it could not be kept"] });
    expect(result.text).toContain("they were not kept");
    expect(errors).toEqual([full]);
  });

  test("ToolExecutor.execute() cuts a JSON value as text, and keeps it whole", async () => {
    const artifacts = new RecordingArtifacts();
    const value = Array.from({ length: 10_000 }, (_, index) => ({ index }));
    const result = await show(value, { artifacts });
    expect(result).toMatchObject({ success: true, result: result.text });
    expect(artifacts.kept[0]?.data).toBe(JSON.stringify(value));
  });

  test("Tool.maxOutputChars goes before the executor's limit", async () => {
    const tool = { ...toolThat(() => "x".repeat(3000)), maxOutputChars: 1000 };
    const { executor } = createTestExecutor([tool, { ...tool, name: "more", maxOutputChars: 4000 }], {
      maxOutputChars: 2000,
    });
    expect((await executor.execute("show", {})).text.length).toBeLessThanOrEqual(1000);
    expect((await executor.execute("more", {})).text).toHaveLength(3000);
  });

  test("ToolExecutor.execute() never gives more than the limit, nor half a surrogate pair, of any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "é", "😀", "\n", "👩‍👩‍👧"), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 300, max: 1500 }),
        fc.boolean(),
        async (letters, times, maxOutputChars, keeps) => {
          const whole = letters.join("").repeat(times);
          const { text } = await show(whole, {
            maxOutputChars,
            ...(keeps && { artifacts: new RecordingArtifacts() }),
          });
          expect(text.length).toBeLessThanOrEqual(maxOutputChars);
          expect(text.isWellFormed()).toBe(true);
          if (whole.length <= maxOutputChars) expect(text).toBe(whole);
        },
      ),
    );
  });

  test("ToolExecutor.execute() cuts the message of an error too", async () => {
    const tool = toolThat(() => {
      throw new Error("x".repeat(1_000_000));
    });
    const { executor } = createTestExecutor([tool]);
    const result = await executor.execute("show", {});
    expect(result.text.length).toBeLessThan(4100);
  });

  test("ToolExecutor.execute() leaves out details of an error that are over the limit", async () => {
    const tool = toolThat(() => {
      throw new ToolError("show", "TOOL_FAILED", "no", { details: { lines: "x".repeat(30_000) } });
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("show", {})).toMatchObject({ details: { leftOut: "30012 characters" } });
  });
});

describe("content", () => {
  const image: ContentBlock = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
  const resource: ContentBlock = { type: "resource", resource: { uri: "file:///a", text: "inside" } };
  const blob: ContentBlock = { type: "resource", resource: { uri: "file:///b", blob: "aGVsbG8=" } };
  const link: ContentBlock = { type: "resource_link", uri: "file:///c", name: "c" };
  const text: ContentBlock = { type: "text", text: "hello" };

  test("ToolExecutor.execute() gives all blocks, and how they read as text", async () => {
    const blocks = [text, image, resource, blob, link];
    const read =
      "hello\n[image: image/png, 8 characters of base64]\ninside\n[resource: file:///b]\n[resource: c file:///c]";
    expect(await show(new ToolContent(blocks))).toMatchObject({
      success: true,
      content: blocks,
      result: read,
      text: read,
    });
  });

  test("ToolExecutor.execute() gives the structured value as the result", async () => {
    const structured = { temperature: 3 };
    const result = await show(new ToolContent([text], structured));
    expect(result).toMatchObject({ success: true, content: [text], result: structured, text: "hello" });
  });

  test("ToolExecutor.execute() cuts the text of blocks that are too long together, and keeps the pictures", async () => {
    const artifacts = new RecordingArtifacts();
    const blocks: ContentBlock[] = [
      { type: "text", text: "a".repeat(20_000) },
      image,
      { type: "text", text: "b".repeat(20_000) },
    ];
    const result = await show(new ToolContent(blocks), { artifacts });
    expect(result).toMatchObject({
      content: [{ type: "text", text: result.text }, image],
      result: result.text,
    });
    expect(artifacts.kept[0]?.data).toBe(
      `${"a".repeat(20_000)}\n[image: image/png, 8 characters of base64]\n${"b".repeat(20_000)}`,
    );
  });

  test("ToolExecutor.execute() loses no data that is over the limit: it joins the text, and both are kept", async () => {
    const artifacts = new RecordingArtifacts();
    const structured = { lines: "x".repeat(30_000) };
    const result = await show(new ToolContent([text], structured), { artifacts });
    expect(result.text).toMatch(/^hello\n\{"lines":"x+/);
    expect(result.text.length).toBeLessThanOrEqual(25_000);
    expect(result).toMatchObject({ result: result.text, content: [{ type: "text", text: result.text }] });
    expect(artifacts.kept[0]?.data).toBe(`hello\n${JSON.stringify(structured)}`);
  });

  test("ToolExecutor.execute() keeps data once whose text says the same", async () => {
    const artifacts = new RecordingArtifacts();
    const structured = { lines: "x".repeat(30_000) };
    const json = JSON.stringify(structured);
    await show(new ToolContent([{ type: "text", text: json }], structured), { artifacts });
    expect(artifacts.kept[0]?.data).toBe(json);
  });

  test("ToolExecutor.execute() gives data without blocks as text", async () => {
    const result = await show(new ToolContent([], { lines: "x".repeat(30_000) }));
    expect(result.text).toMatch(/^\{"lines":"x+\n\[…/);
  });
});

describe("secrets", () => {
  const secret = "s3cr3t-value-123";
  const redact = createRedactor(new Map([["KEY", secret]]));
  const gone = "[redacted:KEY]";

  test.for<[string, unknown, unknown]>([
    ["a text", `it is ${secret}.`, `it is ${gone}.`],
    ["an object", { a: [secret], b: 1 }, { a: [gone], b: 1 }],
    ["a key of an object", { [secret]: 1 }, { [gone]: 1 }],
    ["base64", Buffer.from(`user:${secret}:x`).toString("base64"), expect.stringContaining(gone)],
  ])("ToolExecutor.execute() takes a secret out of %s", async ([, value, expected]) => {
    const result = await show(value, { redact });
    expect(result).toMatchObject({ success: true, result: expected });
    expect(result.text).toContain(gone);
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("ToolExecutor.execute() leaves a value without secrets as it is", async () => {
    const value = { at: new Date(0) };
    const result = await show(value, { redact });
    expect(result.success && result.result).toBe(value);
  });

  test("ToolExecutor.execute() takes a secret out of every block of content, and of its data", async () => {
    const content = new ToolContent(
      [
        { type: "text", text: secret },
        { type: "resource", resource: { uri: `file:///${secret}`, text: secret } },
        { type: "resource_link", uri: `https://x/?key=${secret}`, name: secret, description: secret },
      ],
      { token: secret },
    );
    const result = await show(content, { redact });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(result).toMatchObject({ success: true, result: { token: gone } });
  });

  test("ToolExecutor.execute() takes a secret out of data that is over the limit, shown and kept", async () => {
    const artifacts = new RecordingArtifacts();
    const result = await show(new ToolContent([], { token: secret, lines: "x".repeat(30_000) }), {
      redact,
      artifacts,
    });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(artifacts.kept[0]?.data).not.toContain(secret);
    expect(artifacts.kept[0]?.data).toContain(gone);
  });

  test("ToolExecutor.execute() takes a secret out before it cuts: none stays as a half", async () => {
    for (const offset of [0, 5, 10, 15]) {
      const value = `${"a".repeat(18_560 - offset)}${secret}${"b".repeat(20_000)}`;
      const artifacts = new RecordingArtifacts();
      const result = await show(value, { redact, artifacts });
      expect(result.text).not.toMatch(/s3cr|value-1/);
      expect(artifacts.kept[0]?.data).not.toContain(secret);
    }
  });

  test("ToolExecutor.execute() takes a secret out of errors, details, partial output, updates and notes", async () => {
    const updates: ToolUpdate[] = [];
    const tool = toolThat(({ output, progress }) => {
      output(`out ${secret}`);
      progress(1, 2, `at ${secret}`);
      throw new ToolError("show", "TOOL_FAILED", `no ${secret}`, { details: { [secret]: [secret] } });
    });
    const { executor } = createTestExecutor([tool], {
      redact,
      hooks: [
        {
          name: "leaky",
          blocking: false,
          after: () => {
            throw new Error(secret);
          },
        },
      ],
    });
    const result = await executor.execute("show", {}, { onUpdate: (update) => updates.push(update) });
    expect(result).toMatchObject({
      success: false,
      error: `no ${gone}`,
      details: { [gone]: [gone] },
      partial: `out ${gone}`,
      notes: [`hook "leaky" failed: ${gone}`],
    });
    expect(updates).toEqual([
      { type: "output", text: `out ${gone}` },
      { type: "progress", progress: 1, total: 2, message: `at ${gone}` },
    ]);
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("ToolExecutor.execute() takes a secret out of partial output although it came in two pieces", async () => {
    const tool = toolThat(({ output }) => {
      output(secret.slice(0, 8));
      output(secret.slice(8));
      throw new Error("no");
    });
    const { executor } = createTestExecutor([tool], { redact });
    expect(await executor.execute("show", {})).toMatchObject({ partial: gone });
  });

  test("ToolExecutor.execute() takes a secret out of a refusal of arguments that have it", async () => {
    const tool = defineTool({
      name: "show",
      description: "Show something.",
      parameters: z.object({ key: z.enum(["a", "b"]) }),
      execute: () => "",
    });
    const { executor } = createTestExecutor([tool], { redact });
    const result = await executor.execute("show", { key: secret });
    expect(result).toMatchObject({ success: false, code: "TOOL_VALIDATION" });
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("ToolExecutor.execute() shows nothing that can't be searched for secrets", async () => {
    const broken = () => {
      throw new Error("no");
    };
    for (const value of [
      "plain",
      { a: 1 },
      new ToolContent([{ type: "text", text: "plain" }], { a: "plain" }),
    ]) {
      const result = await show(value, { redact: broken });
      expect(result.text).toContain("[withheld: it could not be searched for secrets]");
      expect(JSON.stringify(result)).not.toContain("plain");
    }
  });
});
