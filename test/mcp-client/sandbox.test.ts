import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Processes } from "../../src/host/index.ts";
import { openMcp } from "../support/mcp-servers.ts";
import { openSandbox, sandboxHere } from "../support/sandbox-levels.ts";

const filesystem = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", import.meta.url),
);
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "haft-mcp-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { level, inSandbox } = await sandboxHere();

describe("a server that is a process, in the sandbox", inSandbox, () => {
  test("reads its folder, writes only where its owner says, and sees nothing else", async () => {
    const [open, shut] = ["open", "shut"].map((name) => join(folder, name)) as [string, string];
    for (const place of [open, shut]) mkdirSync(place);
    writeFileSync(join(shut, "secret.txt"), "mine");
    const processes = new Processes({ from: "direct", sandbox: openSandbox(level) });
    await using mcp = openMcp({ processes, cwd: root });
    await mcp.connections.connectAll([
      { name: "files", command: process.execPath, args: [filesystem, root, open], paths: [open] },
    ]);
    expect(mcp.connections.health()[0]).toMatchObject({ status: "ready" });
    const call = (tool: string, args: object) => mcp.executor.execute(`files__${tool}`, args);
    expect(await call("read_text_file", { path: join(root, "package.json") })).toMatchObject({
      success: true,
    });
    expect(await call("write_file", { path: join(open, "a.txt"), content: "a" })).toMatchObject({
      success: true,
    });
    expect(existsSync(join(open, "a.txt"))).toBe(true);
    const refused = await call("write_file", { path: join(root, "written-by-a-server.txt"), content: "a" });
    expect(refused).toMatchObject({ success: false, code: "MCP_TOOL_FAILED" });
    expect(existsSync(join(root, "written-by-a-server.txt"))).toBe(false);
    await processes.close();
  });

  test("reaches no network, and says what it died of", async () => {
    const script = `fetch("http://127.0.0.1:9").catch((error) => { console.error("no way:", error.cause?.code); process.exit(3); })`;
    const processes = new Processes({ from: "direct", sandbox: openSandbox(level) });
    await using mcp = openMcp({ processes, cwd: folder });
    await mcp.connections.connectAll([{ name: "caller", command: process.execPath, args: ["-e", script] }]);
    expect(mcp.connections.health()[0]).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/its process ended with code 3; it said: no way:/),
    });
    await processes.close();
  });
});
