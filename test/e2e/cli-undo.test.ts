import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { Place, startHaft } from "./cli-process.ts";

test("haft undo without an id lists what can be undone, --last undoes the latest, and audit marks both", async () => {
  const place = new Place();
  const write = (path: string, content: string) =>
    place.run(["call", "write", "--json", "-a", `path=${path}`, "-a", `content=${content}`]);
  const ids: string[] = [];
  for (const [path, content] of [
    ["a.txt", "1"],
    ["b.txt", "2"],
  ] as const)
    ids.push((JSON.parse((await write(path, content)).stdout) as { callId: string }).callId);
  const listed = await place.run(["undo"]);
  expect(listed.exitCode).toBe(0);
  expect(listed.stdout).toMatch(
    new RegExp(`^When .*\\n.*${ids[1]} +write \\{.*b\\.txt.* cli +can be undone\\n.*${ids[0]} .*a\\.txt`),
  );
  expect(listed.stderr).toContain("`haft undo --last`");
  expect(await place.run(["undo", "--last"])).toMatchObject({
    exitCode: 0,
    stdout: `put back ${join(place.folder, "b.txt")}\n`,
    stderr: expect.stringContaining(ids[1] as string),
  });
  expect([existsSync(join(place.folder, "a.txt")), existsSync(join(place.folder, "b.txt"))]).toEqual([
    true,
    false,
  ]);
  const states = JSON.parse((await place.run(["undo", "--json"])).stdout) as Record<string, unknown>[];
  expect(states.map(({ callId, tool, state }) => [callId, tool, state])).toEqual([
    [expect.any(String), "undo_changes", "can be undone"],
    [ids[1], "write", "undone"],
    [ids[0], "write", "can be undone"],
  ]);
  const audit = await place.run(["audit", "--tool", "write"]);
  expect(audit.stdout).toMatch(new RegExp(`Undo.*\\n.*${ids[1]} .* done .*\\n.*${ids[0]} .* can `));
  expect((await place.run(["undo", "--last"])).stdout).toBe(`put back ${join(place.folder, "a.txt")}\n`);
  expect(await place.run(["undo", "--last"])).toMatchObject({ exitCode: 3 });
  expect((await place.run(["undo", "--last", ids[0] as string])).exitCode).toBe(2);
});

test("haft undo --session undoes what a client's session changed, the latest first, once it is told yes", async () => {
  const place = new Place();
  const client = new Client({ name: "writer", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...startHaft, "mcp"],
      cwd: place.folder,
      env: place.environment() as Record<string, string>,
      stderr: "ignore",
    }),
  );
  for (const [path, content] of [
    ["a.txt", "1"],
    ["a.txt", "2"],
    ["b.txt", "3"],
  ]) {
    await client.callTool({ name: "read", arguments: { path } });
    await client.callTool({ name: "write", arguments: { path, content } });
  }
  await client.close();
  expect((await place.run(["undo"])).stdout).toMatch(/changed since, by c_/);
  expect(await place.run(["undo", "--session"])).toMatchObject({ exitCode: 4 });
  expect(await place.run(["undo", "--session", "--yes"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("3 of 3 calls undone"),
  });
  expect([existsSync(join(place.folder, "a.txt")), existsSync(join(place.folder, "b.txt"))]).toEqual([
    false,
    false,
  ]);
});
