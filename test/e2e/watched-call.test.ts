import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { finish, Place, startHaft, untilSays } from "./cli-process.ts";
import { hasTerminal, noTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

interface Call {
  readonly text: Promise<string>;
  /** What the client was told of its progress. */
  readonly told: readonly string[];
}

/** An MCP client that can't show forms, with a `haft mcp` of its own; it reads a file. */
async function connectReader(place: Place): Promise<(path: string) => Call> {
  const client = new Client({ name: "formless", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...startHaft, "mcp"],
    cwd: place.folder,
    env: place.environment() as Record<string, string>,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return (path) => {
    const told: string[] = [];
    const result = client.callTool({ name: "read", arguments: { path } }, undefined, {
      onprogress: ({ message }) => void told.push(message ?? ""),
      resetTimeoutOnProgress: true,
    });
    const text = result.then(({ content }) =>
      (content as { readonly text: string }[]).map((block) => block.text).join("\n"),
    );
    return { text, told };
  };
}

test("haft call without a terminal says that it waits for the person at haft approvals watch", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const outside = join(dirname(place.folder), "outside.txt");
  writeFileSync(outside, "what it says\n");
  const terminal = new PseudoTerminal(place, ["approvals", "watch"]);
  await terminal.shows("Waiting for questions");
  const call = place.start(["call", "read", "--arg", `path=${outside}`]);
  const said = await untilSays(call.stderr as NodeJS.ReadableStream, "\n");
  expect(said).toMatch(/Waiting for a person, who is asked in another terminal \(question a_\w+\)/);
  await terminal.shows("leave it open");
  terminal.type("y");
  expect(await finish(call)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("what it says") });
});

test("a call of a client without forms waits for the person at haft approvals watch, and is refused where none is", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  // A file outside the project folder asks.
  const outside = join(dirname(place.folder), "outside", "data");
  mkdirSync(outside, { recursive: true });
  const [one, two] = ["one", "two"].map((name) => join(outside, name)) as [string, string];
  for (const path of [one, two]) writeFileSync(path, `what ${path} says\n`);
  const read = await connectReader(place);

  const unwatched = await read(one).text;
  expect(unwatched).toMatch(/a person answers the question a_\w+/);
  expect(unwatched).toContain(
    "while a person watches for questions (`haft approvals watch`), such a call waits for the answer",
  );

  const terminal = new PseudoTerminal(place, ["approvals", "watch"]);
  // The question of the refused call is still open: it is left so.
  await terminal.shows("leave it open");
  terminal.type("l");
  const call = read(two);
  await expect.poll(() => call.told).not.toEqual([]);
  expect(call.told[0]).toMatch(/^waits for your answer \(a_\w+\)$/);
  await terminal.shows(two);
  await terminal.shows("leave it open");
  terminal.type("y");
  expect(await call.text).toContain(`what ${two} says`);
  terminal.type("\u0003");
  expect(await terminal.ended).toMatchObject({ exitCode: 0 });
});
