import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import { AcpClient } from "../support/acp-world.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";
import { Place } from "./cli-process.ts";

const settings = "permissions: [{ decision: ask, tool: write }]\n";
const writes = { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] };

function connect(child: ChildProcess): AcpClient {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("haft acp has no streams");
  const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
  const client = new AcpClient(stream, () => void stdin.end());
  onTestFinished(() => client.leave());
  return client;
}

test("an editor talks to haft acp, which asks there, and takes a session up again after a restart", async () => {
  const place = new Place();
  await useScriptedProvider(place, [writes, { text: "Written." }, { text: "I wrote a file." }], settings);
  const first = place.start(["acp"]);
  const client = connect(first);
  client.answers = "allow_once";
  const sessionId = await client.begin(place.folder);
  expect(await client.prompt(sessionId, "Write it")).toBe("end_turn");
  expect(client.text).toBe("Written.");
  expect(client.asked.length).toBe(1);
  expect(client.asked[0]?.options.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["reject_once", "allow_once", "allow_always"]),
  );
  expect(existsSync(join(place.folder, "new.txt"))).toBe(true);
  client.leave();
  const exit = await new Promise((resolve) => first.once("close", resolve));
  expect(exit).toBe(0);
  const again = connect(place.start(["acp"]));
  await again.initialize();
  await again.agent.request("session/load", { sessionId, cwd: place.folder, mcpServers: [] });
  expect(again.text).toBe("Written.");
  expect(await again.prompt(sessionId, "What did you do?")).toBe("end_turn");
});

test("where a yes would need the PIN, haft acp asks nobody, and the question waits for its owner", async () => {
  const place = new Place();
  await useScriptedProvider(place, [writes], settings);
  writeFileSync(join(place.home, "owner-pin.json"), "{}");
  const client = connect(place.start(["acp"]));
  client.answers = "allow_once";
  const sessionId = await client.begin(place.folder);
  expect(await client.prompt(sessionId, "Write it")).toBe("end_turn");
  expect(client.asked).toEqual([]);
  expect(client.text).toContain("waits for an answer");
  expect(existsSync(join(place.folder, "new.txt"))).toBe(false);
});

test("an agent that starts haft acp is not asked for its own yes", async () => {
  const place = new Place();
  await useScriptedProvider(place, [writes], settings);
  const client = connect(place.start(["acp"], { CLAUDECODE: "1" }));
  client.answers = "allow_once";
  const sessionId = await client.begin(place.folder);
  await client.prompt(sessionId, "Write it");
  expect(client.asked).toEqual([]);
  expect(existsSync(join(place.folder, "new.txt"))).toBe(false);
});

test("Ctrl-C interrupts the prompt and ends haft acp", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [{ text: "I beg", isOpen: true }], settings);
  const child = place.start(["acp"]);
  const client = connect(child);
  const sessionId = await client.begin(place.folder);
  client.prompt(sessionId, "Begin").catch(() => "gone");
  await vi.waitFor(() => expect(provider.asked.length).toBe(1), 30_000);
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGINT");
  await closed;
  const listed = await place.run(["sessions", "--json"]);
  expect(listed.stdout).toContain('"stopped"');
});

test("a folder that is no project is not opened, and the editor that closes interrupts its prompt", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [{ text: "I beg", isOpen: true }], settings);
  const child = place.start(["acp"]);
  const client = connect(child);
  const sessionId = await client.begin(place.folder);
  await expect(client.agent.request("session/new", { cwd: "/", mcpServers: [] })).rejects.toThrow(
    "no project",
  );
  const left = client.prompt(sessionId, "Begin").catch(() => "gone");
  await vi.waitFor(() => expect(provider.asked.length).toBe(1), 30_000);
  client.leave();
  expect(await left).toBe("gone");
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  const listed = await place.run(["sessions", "--json"]);
  expect(listed.stdout).toContain('"stopped"');
});
