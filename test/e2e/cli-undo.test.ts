import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const client = await openClient(place);
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

test("haft undo and haft audit tell which calls can't be undone: a file was changed by hand or by a command, a copy is gone", async () => {
  const place = new Place();
  const write = async (path: string, content: string) => {
    const written = await place.run([
      "call",
      "write",
      "--json",
      "-a",
      `path=${path}`,
      "-a",
      `content=${content}`,
    ]);
    return (JSON.parse(written.stdout) as { callId: string }).callId;
  };
  const whole = await write("whole.txt", "1");
  const byHand = await write("hand.txt", "1");
  const byCommand = await write("command.txt", "1");
  writeFileSync(join(place.folder, "large.txt"), `first\n${"x\n".repeat(1_000_000)}`);
  const edit = { path: "large.txt", old_string: "first", new_string: "second" };
  const edited = await place.run(["call", "edit", "--json", JSON.stringify(edit)]);
  const gone = (JSON.parse(edited.stdout) as { callId: string }).callId;
  rmSync(join(place.home, "undo"), { recursive: true, force: true });
  writeFileSync(join(place.folder, "hand.txt"), "by hand");
  expect(await place.run(["call", "bash", "--yes", "-a", "command=echo 2 > command.txt"])).toMatchObject({
    exitCode: 0,
  });
  expect(readFileSync(join(place.folder, "command.txt"), "utf8")).toBe("2\n");
  const listed = JSON.parse((await place.run(["undo", "--json"])).stdout) as Record<string, string>[];
  const states = new Map(listed.map(({ callId, state }) => [callId, state]));
  expect([whole, byHand, byCommand, gone].map((id) => states.get(id))).toEqual([
    "can be undone",
    "changed since",
    "changed since",
    "kept no copy",
  ]);
  expect(listed.find(({ callId }) => callId === byHand)?.["reason"]).toContain("hand.txt");
  const audit = (await place.run(["audit"])).stdout;
  for (const [id, mark] of [
    [whole, "can"],
    [byHand, "changed since"],
    [byCommand, "changed since"],
    [gone, "no copy"],
  ])
    expect(audit).toMatch(new RegExp(`${id} .* ${mark} `));
  expect((await place.run(["undo", "--limit", "2"])).stderr).toMatch(/newest 2 of \d; --limit \d lists more/);
});

test("haft undo --session that stops says what was undone, which call stopped it and what is left", async () => {
  const place = new Place();
  const client = await openClient(place);
  for (const path of ["a.txt", "b.txt", "c.txt"])
    await client.callTool({ name: "write", arguments: { path, content: "1" } });
  await client.close();
  const ids = (JSON.parse((await place.run(["undo", "--json"])).stdout) as { callId: string }[]).map(
    ({ callId }) => callId,
  );
  writeFileSync(join(place.folder, "b.txt"), "by hand");
  const stopped = await place.run(["undo", "--session", "--yes"]);
  expect(stopped).toMatchObject({ exitCode: 1, stdout: `put back ${join(place.folder, "c.txt")}\n` });
  expect(stopped.stderr).toContain("UNDO_CONFLICT");
  expect(stopped.stderr).toMatch(
    new RegExp(`1 of 3 calls undone\nStopped at ${ids[1]}.*\nNot tried.*\n${ids[2]} .*a\\.txt`),
  );
  const json = await place.run(["undo", "--session", "--yes", "--json"]);
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { callId: ids[1], state: "failed", result: { code: "UNDO_CONFLICT" } },
    { callId: ids[2], state: "not tried" },
  ]);
  expect(existsSync(join(place.folder, "a.txt"))).toBe(true);
});

async function openClient(place: Place): Promise<Client> {
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
  return client;
}
