import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stripTypes } from "../../strip-types.ts";

/** The module as JavaScript without what it imports from beside it: to strip types, Node compiles more than is measured. */
function readModule(name: string): string {
  const text = readFileSync(join(import.meta.dirname, name), "utf8");
  return stripTypes(text)
    .replace(/^import .* from "\.\/.*";$/gm, "")
    .replace(/^export /gm, "");
}

/**
 * Prints the most memory that V8 has had for compiling, in MB, once so many requests are answered; and whether another
 * module of WebAssembly, made after the first connection, is optimized as usual. It counts down from its argument.
 */
const program = `
  import { createServer } from "node:http";
  import { getHeapStatistics } from "node:v8";
  ${readModule("parser-size.ts")}
  ${readModule("agent.ts")}
  const agent = await openAgent({ bounds: { checkAddresses() {} }, resolve: resolveBySystem, connectTimeoutMs: 60_000 });
  const server = createServer((asked, response) => response.end("x"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = "http://127.0.0.1:" + server.address().port;
  for (let done = 0; done < 300; done++)
    await (await agent.request({ origin, path: "/", method: "GET" })).body.dump();
  const mb = getHeapStatistics().peak_malloced_memory / 1e6;
  const module = "0061736d010000000105016001" + "7f00" + "03020100" + "070501016600" + "00" + "0a10010e0003402000" + "41016b22000d000b0b";
  const { f: other } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(module, "hex"))).exports;
  for (let done = 0; done < 10_000 && !%IsTurboFanFunction(other); done++) {
    other(10_000_000);
    await new Promise(setImmediate);
  }
  console.log(JSON.stringify({ mb, isOptimized: %IsTurboFanFunction(other) }));
  process.exit();
`;

test.runIf(process.versions.v8.startsWith("13."))(
  "openAgent() keeps V8 from optimizing undici's parser, for which it takes 20 MB, and from nothing else",
  () => {
    const args = ["--allow-natives-syntax", "--input-type=module", "-e", program];
    const said = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as unknown;
    expect(said).toEqual({ mb: expect.any(Number), isOptimized: true });
    expect((said as { mb: number }).mb).toBeLessThan(15);
  },
);

const refused = `
  import { createServer } from "node:http";
  ${readModule("parser-size.ts")}
  ${readModule("agent.ts")}
  const agent = await openAgent({ bounds: { checkAddresses() {} }, resolve: resolveBySystem, connectTimeoutMs: 60_000 });
  const server = createServer(() => {});
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = "http://127.0.0.1:" + server.address().port;
  await new Promise((done) => server.close(done));
  const { code } = await agent.request({ origin, path: "/", method: "GET" }).catch((error) => error);
  await new Promise(setImmediate);
  console.log(code);
`;

test("a connection that is refused before any was made fails its request, and nothing else", () => {
  const args = ["--input-type=module", "-e", refused];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" }).trim()).toBe("ECONNREFUSED");
});
