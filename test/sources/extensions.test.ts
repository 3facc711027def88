import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ExtensionBench, toolModule } from "../support/extensions.ts";

const forecast = `
import { defineTool, ToolContent } from "haft";
import { z } from "zod";
import { celsius } from "../lib/units.ts";

export default defineTool({
  name: "forecast",
  description: "Say how warm it will be.",
  parameters: z.object({ city: z.string().trim(), days: z.coerce.number().int().default(3) }),
  annotations: { readOnly: true, openWorld: false },
  async *execute({ city, days }, context) {
    context.progress(1, 2, "asking");
    yield { type: "output" as const, text: "half" };
    console.log("printed, and no message");
    return new ToolContent([{ type: "text", text: \`\${city}: \${celsius(days)}\` }], { city, days });
  },
});
`;

const units = "export const celsius = (days: number): string => `${days} °C`;\n";

test("a file of tools/ is a tool, whose values, output and progress come across", async () => {
  await using bench = await ExtensionBench.open({
    files: { "tools/weather.ts": forecast, "lib/units.ts": units },
  });
  expect(bench.source.problems()).toEqual([]);
  const updates: unknown[] = [];
  const result = await bench.call(
    "forecast",
    { city: "  Ulm " },
    { onUpdate: (update) => updates.push(update) },
  );
  expect(result).toMatchObject({ success: true, result: { city: "Ulm", days: 3 }, text: "Ulm: 3 °C" });
  expect(updates).toEqual([
    { type: "progress", progress: 1, total: 2, message: "asking" },
    { type: "output", text: "half" },
  ]);
  expect(bench.registry.get("forecast")).toMatchObject({
    pack: "ext:weather",
    origin: "extension:weather",
    annotations: { readOnly: true, openWorld: false },
  });
});

test("a folder of tools/ is one pack, whose helpers and tests are no tools", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/text/pack.md": "# Text\n\nWorks on\ntexts.\n",
      "tools/text/upper.ts": toolModule("upper", "return shout(params.text)", {
        head: 'import { shout } from "./_shout.ts";',
      }),
      "tools/text/pair.ts": `${toolModule("first", "return 1").replace("export default", "const first =")}
        export default [first, { ...first, name: "second" }];`,
      "tools/text/_shout.ts":
        "export const shout = (text = ''): string => text.toUpperCase() + marks.mark;\nimport marks from './data/marks.json' with { type: 'json' };\n",
      "tools/text/data/marks.json": '{ "mark": "!" }',
      "tools/text/upper.test.ts": "throw new Error('a test ran');",
      "tools/text/vitest.config.ts": "throw new Error('a configuration ran');",
      "tools/text/deep/more.ts": "throw new Error('what is deeper ran');",
    },
  });
  expect(await bench.call("upper", { text: "a" })).toMatchObject({ result: "A!" });
  expect(await bench.source.reload()).toEqual({
    extensions: [{ name: "text", description: "Works on texts.", tools: ["first", "second", "upper"] }],
    skills: [],
    problems: [],
  });
});

test("what a tool prints with console is told with its name, at the start and in calls, up to a bound", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/loud.ts": toolModule(
        "loud",
        `console.log("asked for %s", params.text, { deep: [1] }); console.warn("careful"); return "done";`,
        { head: 'console.info("loaded");' },
      ),
      "tools/many.ts": toolModule("many", "for (let at = 0; at < 60_000; at++) console.log(at); return 1;"),
    },
  });
  expect(bench.logged.filter((line) => line.startsWith("loud"))).toEqual(["loud info: loaded"]);
  expect(await bench.call("loud", { text: "Ada" })).toMatchObject({ success: true, result: "done" });
  expect(bench.logged.slice(-2)).toEqual([
    "loud/loud info: asked for Ada { deep: [ 1 ] }",
    "loud/loud warn: careful",
  ]);
  expect(await bench.call("many")).toMatchObject({ success: true, result: 1 });
  expect(bench.logged.at(-1)).toBe("many/many info: (what follows is not shown)");
});

test("an exception in a call says the file and the line that threw it", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/deep.ts": `import { fail } from "../lib/fail.ts";\n${toolModule("deep", "return fail();")}`,
      "lib/fail.ts": `interface Why {\n  readonly text: string;\n}\n\nexport function fail(): never {\n  throw new TypeError("no such thing");\n}\n`,
    },
  });
  expect(await bench.call("deep")).toMatchObject({
    success: false,
    error: "no such thing",
    details: { place: `${join(bench.folder, "lib/fail.ts")}:6` },
  });
});

test("a tool says where to look before its call is repeated, and that equal calls are no repetition", async () => {
  const poll = toolModule("poll", "return 1").replace(
    "description:",
    'verify: "look", mayRepeat: true, description:',
  );
  await using bench = await ExtensionBench.open({ files: { "tools/poll.ts": poll } });
  expect(bench.registry.get("poll")).toMatchObject({ verify: "look", mayRepeat: true });
});

test("a factory gets its secrets and a logger, and may make no tool", async () => {
  await using bench = await ExtensionBench.open({
    secrets: { KEY: "key-12345678" },
    files: {
      "tools/made.ts": `export const meta = { requires: { secrets: ["KEY"] } };
        export default async ({ secret, logger }) => { const key = await secret("KEY"); logger.warn("made " + key.length); return ${toolModule("made", "return key.length").replace(/[\s\S]*export default|;\s*$/g, "")}; };`,
      "tools/none.ts": "export default () => null;",
    },
  });
  expect(await bench.call("made")).toMatchObject({ result: 12 });
  expect(bench.registry.get("made")?.secrets).toEqual(["KEY"]);
  expect(bench.logged).toEqual(["made warn: made 12"]);
  expect(bench.source.problems()).toMatchObject([
    { code: "EXTENSION_UNMET", where: `${bench.folder}/tools/none.ts` },
  ]);
});

test("what is not there skips the extension, and says what to do", async () => {
  const requires = { secrets: ["NO_KEY"], env: ["NO_VALUE"], bins: ["haft-no-such-program", "sh"] };
  await using bench = await ExtensionBench.open({
    files: {
      "tools/needy.ts": toolModule("needy", "return 1", {
        head: `export const meta = ${JSON.stringify({ requires })};`,
      }),
      "tools/wrong.ts": toolModule("wrong", "return 1", {
        head: "export const meta = { requires: { secret: ['A'] } };",
      }),
      "tools/shape.ts": "export default { name: 'shape' };",
      "tools/broken.ts": "\n\nexport default enum;\n",
      "tools/throwing.ts": "const a = 1;\nthrow new Error('at once');\n",
      "tools/package.ts": "import 'left-pad';",
      "tools/a b.ts": toolModule("ab", "return 1"),
      "tools/name.ts": toolModule("bad name", "return 1"),
      "tools/long.ts": toolModule("long", "return 1").replace("A tool of a test.", "x".repeat(300_000)),
      "tools/taken.ts": toolModule("extension_reload", "return 1"),
    },
  });
  const told = bench.source
    .problems()
    .map(({ where, line, code, message }) => [where.slice(bench.folder.length + 7), line, code, message]);
  expect(told).toEqual([
    ["a b.ts", undefined, "EXTENSION_INVALID", expect.stringContaining("rename it")],
    ["broken.ts", 3, "EXTENSION_LOAD", expect.stringContaining('Cannot load "broken": ')],
    ["long.ts", undefined, "EXTENSION_INVALID", expect.stringContaining("at most 262144 are taken")],
    ["name.ts", undefined, "EXTENSION_INVALID", expect.stringContaining("a name has 1 to 64 letters")],
    [
      "needy.ts",
      undefined,
      "EXTENSION_UNMET",
      'Cannot use "needy": the secret "NO_KEY" is not stored (`haft secret set NO_KEY`); the variable NO_VALUE is not set where haft was started; the program "haft-no-such-program" is not on the PATH',
    ],
    [
      "package.ts",
      undefined,
      "EXTENSION_LOAD",
      expect.stringContaining('Cannot resolve the import of "left-pad": an extension has "haft", "zod"'),
    ],
    [
      "shape.ts",
      undefined,
      "EXTENSION_LOAD",
      expect.stringContaining("its default export has no description"),
    ],
    ["throwing.ts", 2, "EXTENSION_LOAD", 'Cannot load "throwing": at once'],
    ["wrong.ts", undefined, "EXTENSION_INVALID", expect.stringContaining('did you mean "secrets"')],
    [
      "taken.ts",
      undefined,
      "SOURCE_NAME_TAKEN",
      'Cannot use the tool "extension_reload": "extensions" has two tools of this name',
    ],
  ]);
});

test("an error keeps its code, message and details; arguments are checked by the schema of the extension too", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/even.ts": `import { defineTool } from "haft"; import { z } from "zod";
        export default defineTool({
          name: "even", description: "Takes even numbers.",
          parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
          execute: ({ n }) => { throw Object.assign(new Error("no such n: " + n), { code: "E_NO_N", details: { n } }); },
        });`,
    },
  });
  expect(await bench.call("even", { n: 2 })).toMatchObject({
    success: false,
    code: "E_NO_N",
    error: "no such n: 2",
    details: { n: 2 },
  });
  expect(await bench.call("even", { n: 3 })).toMatchObject({
    code: "TOOL_VALIDATION",
    error: expect.stringContaining("n: must be even"),
  });
  expect(await bench.call("even", { n: "x" })).toMatchObject({ code: "TOOL_VALIDATION" });
});

test("a tool that tells nonsense fails by itself, and its worker goes on", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/odd.ts": `let calls = 0;
        const parameters = { type: "object", properties: {} };
        const yields = (name: string, what: unknown) => ({ name, description: "Odd.", parameters, async *execute() { calls++; yield what; return calls; } });
        export default [
          yields("text", "a text"),
          yields("nothing", { type: "output" }),
          { name: "infinite", description: "Odd.", parameters, execute: (_: unknown, context: any) => { context.progress(1 / 0, NaN, 5); context.output(5); return ++calls; } },
          { name: "cycle", description: "Odd.", parameters, execute: () => { const a: any = {}; return (a.a = a); } },
          { name: "thrown", description: "Odd.", parameters, execute: () => { throw null; } },
        ];`,
    },
  });
  const told = {
    success: false,
    code: "TOOL_FAILED",
    error: expect.stringContaining("neither progress nor output"),
  };
  expect(await bench.call("text")).toMatchObject(told);
  expect(await bench.call("nothing")).toMatchObject(told);
  expect(await bench.call("cycle")).toMatchObject({ success: false, code: "TOOL_OUTPUT" });
  expect(await bench.call("thrown")).toMatchObject({ success: false, code: "TOOL_FAILED", error: "null" });
  const updates: unknown[] = [];
  expect(await bench.call("infinite", {}, { onUpdate: (update) => updates.push(update) })).toMatchObject({
    result: 3,
  });
  expect(updates).toEqual([
    { type: "progress", progress: 0, message: "5" },
    { type: "output", text: "5" },
  ]);
});

test("a call that is cancelled tells the tool, which may end in its own way; others in the worker go on", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/wait.ts": toolModule(
        "wait",
        `context.output("begun");
        if (params.text === "short") { await told.promise; return process.pid; }
        await new Promise((_, fail) => context.signal.addEventListener("abort", () => { context.output("told"); told.resolve(); fail(context.signal.reason); }));`,
        { head: "const told = Promise.withResolvers<void>();" },
      ),
    },
  });
  const controller = new AbortController();
  const seen: string[] = [];
  const long = bench.call(
    "wait",
    {},
    {
      signal: controller.signal,
      onUpdate: (update) => {
        if (update.type === "output") seen.push(update.text);
        controller.abort();
      },
    },
  );
  const short = bench.call("wait", { text: "short" });
  expect(await long).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
  expect(seen).toEqual(["begun", "told"]);
  const { result: pid } = (await short) as { result: unknown };
  expect(await bench.call("wait", { text: "short" })).toMatchObject({ result: pid });
});

test("a reload that fails keeps the last good version, and says so; a better one replaces it", async () => {
  await using bench = await ExtensionBench.open({ files: { "tools/v.ts": toolModule("v", "return 1") } });
  const before = bench.registry.get("v");
  bench.write("tools/v.ts", "export default {");
  await bench.source.reload();
  expect(bench.source.problems()).toMatchObject([
    { code: "EXTENSION_LOAD", line: 1, message: expect.stringContaining("; the version before it goes on") },
  ]);
  expect(await bench.call("v")).toMatchObject({ result: 1 });
  expect(bench.registry.get("v")).toBe(before);
  bench.write("tools/v.ts", toolModule("v", "return 2"));
  await bench.source.reload();
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("v")).toMatchObject({ result: 2 });
  expect(bench.registry.get("v")?.version).not.toBe(before?.version);
});

test("taking back the word for a text ends what runs of it", async () => {
  await using bench = await ExtensionBench.open({ files: { "tools/v.ts": toolModule("v", "return 1") } });
  bench.refused.add(`${bench.folder}/tools/v.ts`);
  await bench.source.reload();
  expect(bench.registry.has("v")).toBe(false);
});

test("extension_reload reads everything anew, and lets calls that run end in the old version", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "tools/slow.ts": toolModule(
        "slow",
        "context.output('begun'); await new Promise((done) => setTimeout(done, 400)); return 'old';",
      ),
      "skills/greet.md": "---\nname: greet\ndescription: How to greet\n---\nSay hello.\n",
    },
  });
  const begun = Promise.withResolvers<void>();
  const old = bench.call("slow", {}, { onUpdate: () => begun.resolve() });
  await begun.promise;
  bench.write("tools/slow.ts", toolModule("slow", "return 'new'"));
  bench.write("tools/other.ts", toolModule("other", "return 1"));
  expect(await bench.call("extension_reload")).toMatchObject({
    success: true,
    result: {
      extensions: [
        { name: "other", tools: ["other"] },
        { name: "slow", tools: ["slow"] },
      ],
      skills: ["greet"],
      problems: [],
    },
  });
  expect(await bench.call("slow")).toMatchObject({ result: "new" });
  expect(await old).toMatchObject({ result: "old" });
});

test("where it watches, a change is followed by itself", async () => {
  await using bench = await ExtensionBench.open({ watch: true, files: {} });
  const came = new Promise<void>((resolve) => {
    bench.registry.onChange(() => {
      if (bench.registry.has("late")) resolve();
    });
  });
  bench.write("tools/late.ts", toolModule("late", "return 'here'"));
  await came;
  expect(await bench.call("late")).toMatchObject({ result: "here" });
});

test("skills are listed and loaded by name; one that lacks something is left out", async () => {
  await using bench = await ExtensionBench.open({
    files: {
      "skills/writing/letters.md":
        "---\nname: letters\ndescription: How to write a letter\n---\n\nBegin with *Dear*.\n",
      "skills/lonely.md":
        "---\nname: lonely\ndescription: Needs what is not there\nrequires:\n  bins: [haft-no-such-program]\n---\nBody\n",
      "skills/broken.md": "no fields",
    },
  });
  expect(await bench.call("skill_list")).toMatchObject({
    result: [{ name: "letters", description: "How to write a letter" }],
  });
  expect(await bench.call("skill_load", { name: "letters" })).toMatchObject({ result: "Begin with *Dear*." });
  expect(await bench.call("skill_load", { name: "leters" })).toMatchObject({
    success: false,
    error: expect.stringContaining('did you mean "letters"'),
  });
  expect(bench.source.problems().map(({ code }) => code)).toEqual([
    "FRONT_MATTER_MISSING",
    "EXTENSION_UNMET",
  ]);
});

test("a worker that nobody calls is closed, and started again when it is", async () => {
  await using bench = await ExtensionBench.open({
    times: { idleMs: 1 },
    files: { "tools/count.ts": toolModule("count", "return ++calls", { head: "let calls = 0;" }) },
  });
  expect(await bench.call("count")).toMatchObject({ result: 1 });
  await expect.poll(async () => (await bench.call("count")) as object).toMatchObject({ result: 1 });
});

test("the examples of docs/guide/extensions.md are extensions as they stand", async () => {
  const page = readFileSync("docs/guide/extensions.md", "utf8");
  const modules = page.matchAll(/```ts\n\/\/ agent\/extensions\/(\S+)\n([\s\S]*?)```/g);
  const files = Object.fromEntries(Array.from(modules, ([, path = "", text = ""]) => [path, text]));
  const [, skill = ""] = /```md\n([\s\S]*?)```/.exec(page) ?? [];
  await using bench = await ExtensionBench.open({
    secrets: { WEATHER_KEY: "key-12345678" },
    files: { ...files, "skills/letters.md": skill },
  });
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("roll_dice", { dice: 3, sides: 2 })).toMatchObject({
    result: [expect.any(Number), expect.any(Number), expect.any(Number)],
  });
  expect(await bench.call("greet", { name: "Ada" })).toMatchObject({ result: "Hello, Ada" });
  expect(bench.registry.get("forecast")).toMatchObject({ pack: "ext:weather", secrets: ["WEATHER_KEY"] });
  expect(await bench.call("skill_load", { name: "letters" })).toMatchObject({
    result: 'Begin with "Dear", end with "Yours".',
  });
});
