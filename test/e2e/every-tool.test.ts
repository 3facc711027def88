import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../support/loopback.ts";
import { forThisMachine } from "../support/machine-settings.ts";
import { read } from "../support/reading.ts";
import { program } from "./cli-process.ts";

interface Setting {
  readonly client: Client;
  readonly folder: string;
  readonly web: string;
  /** Every question the server asked, as it was worded. */
  readonly asked: string[];
}

/** `haft mcp` as a child process, in a folder with some files, and the official client at its other end. */
async function connect(profile: "coding" | "task", era: "auto" | "legacy"): Promise<Setting> {
  const web = await listenOnLoopback((request, response) => {
    if (request.url?.startsWith("/search") || request.url?.startsWith("/html")) {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          answer: "42",
          results: [{ title: "Deep", url: "https://example.com/", content: "thought" }],
        }),
      );
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        "<html><head><title>Page</title></head><body><article><h1>Page</h1><p>A paragraph of a page, long enough to be read.</p></article></body></html>",
      );
    }
  });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-every-tool-")));
  const home = mkdtempSync(join(tmpdir(), "haft-home-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "a.txt"), "one\ntwo TODO\nthree\n");
  writeFileSync(join(folder, "old.txt"), "old\n");
  writeFileSync(
    join(home, "config.yml"),
    forThisMachine(
      `tools:\n  profile: ${profile}\n  allowedHosts: ["${web.host}"]\n  webSearch: { provider: tavily, apiKey: key-for-the-test, baseUrl: "${web.url}" }\n`,
    ),
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp"],
    cwd: folder,
    env: { HAFT_HOME: home, PATH: process.env["PATH"] ?? "" },
    stderr: "inherit",
  });
  const client = new Client(
    { name: "every-tool", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      ...(era === "auto" && { versionNegotiation: { mode: "auto" as const } }),
    },
  );
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async (request) => {
    asked.push(request.params.message);
    await read();
    return { action: "accept", content: { decision: "allow once" } };
  });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    // The client does not wait long for haft to end, which may still write.
    const removed = { recursive: true, force: true, maxRetries: 20 } as const;
    await rm(folder, removed);
    await rm(home, removed);
  });
  return { client, folder, web: web.url, asked };
}

type Calls = readonly (readonly [name: string, args: Record<string, unknown>, expected: RegExp])[];

const everywhere = (web: string): Calls => [
  ["current_time", { timezone: "Europe/Berlin" }, /Europe\/Berlin/],
  ["sleep", { duration: 0.01 }, /slept/],
  ["get_env", { key: "PATH" }, /value/],
  ["set_env", { key: "GREETING", value: "hello" }, /previous/],
  ["json_parse", { text: '{"a":[1,2]}' }, /"a":\[1,2\]/],
  ["json_stringify", { data: { a: 1 } }, /a/],
  ["base64_encode", { text: "hä" }, /aMOk/],
  ["base64_decode", { encoded: "aMOk" }, /hä/],
  ["http_get", { url: `${web}/page` }, /A paragraph/],
  ["http_post", { url: `${web}/page`, body: "x" }, /200/],
  ["http_request", { method: "PUT", url: `${web}/page`, body: "x" }, /200/],
  ["run_script", { code: 'return (await tools.json_parse({ text: "[1,2]" })).data.length' }, /"result":2/],
  [
    "run_chain",
    {
      steps: [
        { id: "text", tool: "base64_decode", arguments: { encoded: "aMOk" } },
        { id: "json", tool: "json_stringify", arguments: { data: { $from: "text/decoded" } } },
      ],
    },
    /hä/,
  ],
  ["web_search", { query: "the answer" }, /Deep/],
  ["web_read", { url: `${web}/page` }, /A paragraph of a page/],
  ["secret_store", { key: "TOKEN", value: "value-for-the-test" }, /stored/],
  ["secret_list", {}, /TOKEN/],
  ["secret_delete", { key: "TOKEN" }, /true/],
  ["usage_stats", { days: 7 }, /"perModel":\[\]/],
];

const coding = (folder: string, web: string): Calls => [
  ...everywhere(web),
  ["memory_store", { content: "Ada is vegetarian", names: ["Ada"] }, /stored/],
  ["memory_recall", { query: "Ada" }, /vegetarian/],
  ["memory_graph", { action: "search", query: "Ada" }, /Ada/],
  ["memory_forget", { query: "Ada" }, /candidates/],
  ["bash", { command: "seq 1 40000; echo $GREETING" }, /hello/],
  ["read", { path: join(folder, "a.txt") }, /two TODO/],
  ["write", { path: join(folder, "new.txt"), content: "new\n" }, /new\.txt|bytes/i],
  ["edit", { path: join(folder, "a.txt"), old_string: "three", new_string: "3" }, /./],
  ["glob", { pattern: "**/*.txt", path: folder }, /old\.txt/],
  ["grep", { pattern: "TODO", path: folder }, /a\.txt/],
  ["listdir", { path: folder }, /sub/],
];

const task = (folder: string, web: string): Calls => [
  ...everywhere(web),
  ["memory_write", { path: "facts/ada.md", content: "# Ada\n\n> Summary: who it is\n" }, /size/],
  ["memory_append", { path: "facts/ada.md", entry: "Is vegetarian" }, /size/],
  ["memory_patch", { path: "facts/ada.md", old_str: "vegetarian", new_str: "vegan" }, /size/],
  ["memory_read", { path: "facts/ada.md" }, /Is vegan/],
  ["memory_list", {}, /who it is/],
  ["read_file", { path: join(folder, "a.txt") }, /two TODO/],
  ["write_file", { path: join(folder, "new.txt"), content: "new\n" }, /bytesWritten/],
  [
    "edit_file",
    { path: join(folder, "a.txt"), edits: [{ old_string: "three", new_string: "3" }] },
    /applied/,
  ],
  ["list_files", { path: folder }, /sub/],
  ["get_file_info", { path: join(folder, "a.txt") }, /exists/],
  ["grep_files", { pattern: "TODO", path: folder }, /a\.txt/],
  ["move_file", { from: join(folder, "old.txt"), to: join(folder, "sub", "moved.txt") }, /./],
  ["delete_file", { path: join(folder, "new.txt") }, /deleted/],
];

function readText(result: unknown): string {
  const { content } = result as { content: readonly { readonly type: string; readonly text?: string }[] };
  return content.map((block) => block.text ?? block.type).join("\n");
}

test.for([
  ["coding", "auto"],
  ["coding", "legacy"],
  ["task", "auto"],
  ["task", "legacy"],
] as const)("every tool of the profile %s answers the official client (%s)", async ([profile, era]) => {
  const { client, folder, web, asked } = await connect(profile, era);
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  const calls = profile === "coding" ? coding(folder, web) : task(folder, web);
  const called = new Set<string>();
  let kept: string | undefined;
  let changed: string | undefined;
  for (const [name, args, expected] of calls) {
    const result = await client.callTool({ name, arguments: args });
    expect.soft({ name, text: readText(result) }).toEqual({ name, text: expect.stringMatching(expected) });
    expect.soft({ name, isError: result.isError ?? false }).toEqual({ name, isError: false });
    called.add(name);
    kept ??= /artifact_read \{"id":"([^"]+)"/.exec(readText(result))?.[1];
    if (name.startsWith("edit"))
      changed = (result._meta as Record<string, { id: string }> | undefined)?.["haft/call"]?.id;
  }
  if (kept !== undefined) {
    const page = await client.callTool({
      name: "artifact_read",
      arguments: { id: kept, offset: 0, length: 100 },
    });
    expect(readText(page)).toContain("1\n2\n3\n");
    const found = await client.callTool({
      name: "artifact_search",
      arguments: { id: kept, pattern: "39999" },
    });
    expect(readText(found)).toContain("39999");
  }
  for (const name of ["artifact_read", "artifact_search"]) called.add(name);
  expect(kept === undefined).toBe(profile === "task");
  expect(changed).toMatch(/^c_/);
  const undone = await client.callTool({ name: "undo_changes", arguments: { call_id: changed as string } });
  expect(undone.isError ?? false).toBe(false);
  called.add("undo_changes");
  expect([...called].sort()).toEqual([...listed].sort());
  expect(asked.length).toBeGreaterThan(0);
});
