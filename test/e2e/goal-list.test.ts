import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { Place, program, untilSays } from "./cli-process.ts";

async function listedNames(place: Place, ...args: readonly string[]): Promise<string[]> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...args],
    cwd: place.folder,
    env: { HAFT_HOME: place.home, PATH: process.env["PATH"] ?? "" },
    stderr: "inherit",
  });
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return (await client.listTools()).tools.map(({ name }) => name);
}

test("haft mcp --goal lists the core tools and the packs for the goal, and the others stay to be found", async () => {
  const place = new Place();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(
    join(place.home, "config.yml"),
    "tools: { search: { embedder: none }, budget: 1500 }\nserve: { clients: { keys: { goal: Store secrets such as API keys } } }\n",
  );
  const plain = await listedNames(place);
  expect(plain).toEqual(expect.arrayContaining(["read", "search_tools"]));
  expect(plain).not.toContain("json_parse");
  const forData = await listedNames(place, "--goal", "Parse JSON and decode base64");
  expect(forData).toEqual(expect.arrayContaining([...plain, "json_parse", "base64_decode"]));
  expect(await listedNames(place, "--client", "keys")).toContain("secret_store");
  const empty = await place.run(["mcp", "--goal", " "]);
  expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--goal") });
});

test("haft mcp and haft serve say in one line which packs a goal chose, and how", async () => {
  const place = new Place();
  const goal = ["--goal", "Parse JSON and decode base64"];
  const start = async (config: string, ...args: readonly string[]) => {
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "config.yml"), config);
    // Standard input ends at once, and with it the server.
    return (await place.run(["mcp", ...args])).stderr;
  };
  const offline = "tools: { search: { embedder: none }, budget: 1500 }\n";
  expect(await start(offline, ...goal)).toMatch(
    /^The list has for the goal "Parse JSON and decode base64" as many packs as fit tools.budget, .*: data.*; \d+ more do not fit tools.budget; meanings were not compared, since there is no embedder .*$/m,
  );
  expect(await start("tools: { search: { embedder: none }, budget: 900000 }\n", ...goal)).toContain(
    "all packs, which fit tools.budget: data",
  );
  for (const none of [[], [...goal, "--expose", "all"]])
    expect(await start(offline, ...none)).not.toContain("The list has");
  const served = place.start(["serve", "--port", "0", ...goal]);
  expect(await untilSays(served.stdout as NodeJS.ReadableStream, "Ctrl-C stops it")).toContain(
    'for the goal "Parse JSON and decode base64"',
  );
});
