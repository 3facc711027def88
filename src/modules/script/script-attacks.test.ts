import { expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { defineTool, type ToolResult } from "../../kernel/index.ts";
import type { ScriptLimits } from "./limits.ts";
import { scriptTools } from "./script-tools.ts";

function world(limits: Partial<ScriptLimits> = {}) {
  const taken: unknown[] = [];
  const take = defineTool({
    name: "take",
    description: "Takes anything.",
    parameters: z.looseObject({}),
    execute: (params) => {
      taken.push(params);
      return JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"then":"no","toJSON":"x"}',
      );
    },
  });
  const text = defineTool({
    name: "text",
    description: "A text that is no JSON, and would like to be.",
    parameters: z.object({}),
    execute: () => '"},"error":null} \u2028\u0000 ${tools} </script> \ud800 {"__proto__":{"polluted":2}}',
  });
  const { executor } = createTestExecutor([...scriptTools({ limits }), take, text]);
  const run = (code: string, signal?: AbortSignal): Promise<ToolResult> =>
    executor.execute("run_script", { code }, signal === undefined ? {} : { signal });
  return { taken, executor, run };
}

/** The value that a script gave. */
async function readValue(code: string, limits: Partial<ScriptLimits> = {}): Promise<unknown> {
  const result = await world(limits).run(code);
  return result.success ? (result.result as { result: unknown }).result : result;
}

test.concurrent.for([
  ["a loop without end", "for (;;) {}"],
  ["one that catches everything", "for (;;) try { for (;;) {} } catch {}"],
  [
    "one made of promises",
    "const go = async () => { try { await null; } catch {} return go(); }; await go()",
  ],
  ["one of promises that catch", "for (;;) try { await (async () => { for (;;) {} })() } catch {}"],
  ["one in a getter of the result", "({ get a() { for (;;) {} } })"],
  ["one in toJSON of an argument", "await tools.take({ toJSON() { for (;;) {} } })"],
  ["a regular expression that goes back for ever", "/(a+)+$/.test('a'.repeat(40) + 'b')"],
  ["an operation within the engine, which can't be interrupted", "new Array(4294967295).join('x')"],
  ["refused calls without end", "for (;;) try { await tools.take({}) } catch {}"],
] as const)("a script computes only so long: %s", async ([, code], { expect }) => {
  expect(await world({ computeMs: 250, calls: 3 }).run(code)).toMatchObject({ code: "SCRIPT_COMPUTING" });
});

test.concurrent.for([
  ["lists", "const all = []; for (;;) all.push(new Array(1000).fill(1))"],
  ["texts", "const all = []; for (let at = 0; ; at++) all.push(String(at).repeat(10000))"],
  ["one buffer", "new ArrayBuffer(1e9)"],
  ["promises", "const all = []; for (;;) all.push(new Promise(() => {}))"],
  ["a pattern", "'x'.repeat(3e7).replace(/x/g, 'yyyyyy').length"],
  ["calls of itself", "function f() { f() } f()"],
  ["a list in a list", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)"],
  ["a program as text", "eval('['.repeat(1e5))"],
  ["proxies", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x"],
] as const)("a script has only so much memory and depth: %s", async ([, code], { expect }) => {
  expect(await world().run(code)).toMatchObject({
    code: expect.stringMatching(/^SCRIPT_(MEMORY|FAILED)$/),
    error: expect.stringMatching(/out of memory|stack overflow/),
  });
});

test("a script that survives its own lack of memory goes on with what it has", async () => {
  const code =
    "let at = 0; try { const all = []; for (;;) { all.push(new Array(1000).fill(1)); at++ } } catch (error) { at = error.message } await tools.take({ at }); at";
  expect(await readValue(code)).toBe("out of memory");
});

test("a script that is cancelled ends at once, whatever it does, and holds up nothing else", async () => {
  const { executor, run } = world({ computeMs: 600_000 });
  const controller = new AbortController();
  const started = Promise.withResolvers<void>();
  const ending = executor.execute(
    "run_script",
    {
      code: "console.log('on'); await tools.take({}); console.log('off'); for (;;) try { for (;;) {} } catch {}",
    },
    {
      signal: controller.signal,
      onUpdate: (update) => update.type === "output" && update.text === "off\n" && started.resolve(),
    },
  );
  await started.promise;
  expect(await run("6 * 7")).toMatchObject({ result: { result: 42 } });
  controller.abort();
  expect(await ending).toMatchObject({ code: "TOOL_CANCELLED" });
});

test("nothing of Node or of this process can be reached from a script", async () => {
  const found = await readValue(`
    const words = ["process", "require", "module", "global", "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "WebAssembly",
      "setTimeout", "setInterval", "setImmediate", "SharedArrayBuffer", "Atomics", "std", "os", "bjson", "print", "scriptArgs", "navigator"];
    const ways = [globalThis, tools, tools.take, console.log, tools.take({}), Promise.prototype.then, (async () => {}), (function* () {})];
    const seen = [];
    for (const way of ways) {
      try { const make = way.constructor.constructor; seen.push(...words.filter((word) => make("return typeof " + word)() !== "undefined")) } catch {}
      try { const make = Object.getPrototypeOf(way).constructor.constructor; seen.push(...words.filter((word) => make("return typeof " + word)() !== "undefined")) } catch {}
    }
    for (const word of ["fs", "os", "std", "qjs:os", "qjs:std", "node:fs", "./prelude.js", "script.js"])
      try { await import(word); seen.push(word) } catch {}
    return [...new Set(seen)]`);
  expect(found).toEqual(["SharedArrayBuffer"]);
});

test("what a script does to its objects reaches nobody else", async () => {
  const { taken, run } = world();
  const result = await run(`
    Object.prototype.polluted = 1; Array.prototype.polluted = 1; Function.prototype.polluted = 1;
    Object.defineProperty(Object.prototype, "code", { get() { return "spoilt" }, configurable: true });
    const value = await tools.take({ ...JSON.parse('{"__proto__":{"polluted":1}}'), a: { ["__proto__"]: { polluted: 1 } } });
    JSON.parse = () => ({ polluted: 1 }); JSON.stringify = () => "spoilt";
    await tools.take({});
    Map.prototype.get = Promise.prototype.constructor = String = null;
    return Object.getPrototypeOf(value) === Object.prototype`);
  expect(result).toMatchObject({ success: true, result: { calls: 2 } });
  expect({}).not.toHaveProperty("polluted");
  expect([]).not.toHaveProperty("polluted");
  for (const params of taken) expect(params).not.toHaveProperty("polluted");
  expect(taken).toHaveLength(2);
  expect(await run("({}).polluted === undefined && typeof JSON.parse")).toMatchObject({
    result: { result: "function" },
  });
});

test("a script spoils only itself where it replaces what its calls are made with", async () => {
  const spoils = [
    "Promise.prototype.then = () => {}; await tools.take({})",
    "globalThis.Promise = null; await tools.take({})",
    "Map.prototype.get = () => { throw 1 }; await tools.take({})",
    "Object.prototype.then = function (go) { go(1) }; await tools.take({})",
    "Error = null; Proxy = null; await tools.take({})",
  ];
  const ends = await Promise.all(
    spoils.map(async (code) => (await world({ computeMs: 500 }).run(code)) as object),
  );
  for (const end of ends) expect(end).toHaveProperty("success");
  expect(await readValue("(await tools.take({})).then")).toBe("no");
});

test("arguments cross as JSON and as nothing else", async () => {
  const { taken, run } = world();
  const result = await run(`
    const told = [];
    const give = async (args) => { try { await tools.take(args) } catch (error) { told.push(error.code) } };
    const ring = {}; ring.ring = ring;
    for (const args of [1n, { a: 1n }, ring, () => 1, Symbol("a"), { get a() { throw new Error("no") } }, new Proxy({}, { ownKeys() { throw 1 } })])
      await give(args);
    await give({ a: undefined, b: () => 1, c: NaN, d: new Date(0), e: new Map([[1, 2]]), f: "\\u0000\\ud800\\u2028", get g() { return 7 } });
    await give(new Proxy({ a: 1 }, { get: (object, key) => (key === "a" ? 2 : object[key]) }));
    await give({ toJSON: () => ({ json: true }) });
    await give({ then(go) { go({ never: 1 }) } });
    await give();
    return told`);
  expect(result).toMatchObject({ result: { result: Array(7).fill("SCRIPT_ARGUMENTS") } });
  expect(taken).toEqual([
    { c: null, d: "1970-01-01T00:00:00.000Z", e: {}, f: "\u0000\ud800\u2028", g: 7 },
    { a: 2 },
    { json: true },
    {},
    {},
  ]);
});

test("results cross as data, whatever they look like", async () => {
  expect(
    await readValue(`
      const value = await tools.take({});
      return [await tools.text({}), Object.keys(value), ({}).polluted ?? null, Object.keys(await tools.raw("take")).includes("success")]`),
  ).toEqual([
    '"},"error":null} \u2028\u0000 ${tools} </script> \ud800 {"__proto__":{"polluted":2}}',
    ["__proto__", "constructor", "then", "toJSON"],
    null,
    true,
  ]);
});

test("a result that says what it is itself is taken at its word, and waits for nobody", async () => {
  expect(await readValue("({ toJSON: () => ({ a: 1 }) })")).toEqual({ a: 1 });
  expect(await readValue("({ then: (go) => go(5) })")).toBe(5);
  expect(await readValue("({ then() {} })")).toMatchObject({ code: "SCRIPT_STUCK" });
  expect(await readValue("throw { toString() { throw 1 }, get message() { throw 2 } }")).toMatchObject({
    code: "SCRIPT_FAILED",
  });
  expect(
    await readValue("throw Object.assign(new Error('a'), { code: 'TOOL_PERMISSION', tool: 'take' })"),
  ).toMatchObject({
    error: "Cannot finish the script: line 1, column 30: Error: a",
  });
});

test("a flood of calls, of arguments, of names and of console text is bounded", async () => {
  const { taken, run } = world({ calls: 10, argumentChars: 1000, consoleChars: 100 });
  const result = await run(`
    const all = await Promise.allSettled(Array.from({ length: 2000 }, () => tools.take({})));
    const codes = [...new Set(all.map(({ reason }) => reason?.code))];
    for (let at = 0; at < 2000; at++) console.log("a line that says little " + at, "x".repeat(1000));
    return [codes.length, codes[1]]`);
  expect(result).toMatchObject({ result: { result: [2, "SCRIPT_CALLS"], calls: 10 } });
  expect(taken).toHaveLength(10);
  const { console } = (result as { result: { console: string } }).result;
  expect(console).toHaveLength(
    100 + "\n[… the rest of the console is left out: 100 characters are the most]\n".length,
  );
  const long = await run("return tools.take({ a: 'x'.repeat(2000) }).catch(({ code }) => code)");
  expect(long).toMatchObject({ result: { result: "SCRIPT_ARGUMENTS" } });
  const name = await run(
    "return tools['x'.repeat(900)]({}).catch(({ code, message }) => [code, message.length < 400])",
  );
  expect(name).toMatchObject({ result: { result: ["TOOL_NOT_FOUND", true] } });
});

test("a name with a NUL, or with parts of a call in it, is the name of no tool", async () => {
  const code = `
    const told = [];
    for (const name of ["take\\u0000", '"take"', 'take","args":{"a":1},"name":"take', "__proto__", "constructor", ""])
      told.push((await tools.raw(name, {})).code);
    return told`;
  expect(await readValue(code)).toEqual(Array(6).fill("TOOL_NOT_FOUND"));
});
