import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import type { CallRecord } from "../../src/modules/ledger/index.ts";
import { Place, startHaft, untilSays } from "./cli-process.ts";

interface Answer {
  readonly status: number;
  readonly session: string;
  readonly body: {
    readonly result?: { readonly instructions?: string };
    readonly error?: { message: string };
  };
}

async function post(url: string, message: object, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const text = await response.text();
  return {
    status: response.status,
    session: response.headers.get("mcp-session-id") ?? "",
    body: (text.startsWith("{") ? JSON.parse(text) : {}) as Answer["body"],
  };
}

const clientInfo = { name: "a-client", version: "1.2" };
const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};

test("a client of haft serve works in the folder that its address names, and only where the owner named it", async () => {
  const place = new Place();
  const shop = join(place.folder, "..", "shop");
  mkdirSync(shop);
  const served = place.start(["serve", "--port", "0", "--json"]);
  const { url } = JSON.parse(await untilSays(served.stdout as NodeJS.ReadableStream, "\n")) as {
    url: string;
  };
  const token = readFileSync(join(place.home, "token"), "utf8").trim();
  const authorization = `Bearer ${token}`;
  const unknown = await post(`${url}/@shop`, initialize, { authorization });
  expect(unknown).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining("`haft trust FOLDER --as shop`") } },
  });
  expect(await place.run(["trust", shop, "--as", "shop", "--yes"])).toMatchObject({
    exitCode: 0,
    stdout: `${shop} is /mcp/@shop of haft serve\n`,
  });
  const stranger = await post(`${url}/@shop`, initialize, {});
  expect([stranger.status, JSON.stringify(stranger.body)]).toEqual([
    404,
    expect.not.stringContaining("shop"),
  ]);
  for (const [address, folder] of [
    [`${url}/@shop`, shop],
    [url, place.folder],
  ] as const) {
    const begun = await post(address, initialize, { authorization });
    expect(begun.body.result?.instructions).toContain(`These tools work in ${folder}:`);
    const session = { authorization, "mcp-session-id": begun.session };
    await post(address, { method: "notifications/initialized" }, session);
    const args = { path: "note.txt", content: folder };
    const call = { id: 2, method: "tools/call", params: { name: "write", arguments: args } };
    expect(await post(address, call, session)).toMatchObject({ status: 200, body: { result: {} } });
    expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe(folder);
    const { stdout } = await place.run(["audit", "--json", "--folder", folder]);
    expect((JSON.parse(stdout) as CallRecord[]).map(({ client, project }) => [client, project])).toEqual([
      [clientInfo, folder],
    ]);
  }
  expect(await place.run(["trust", "--forget", "shop"])).toMatchObject({ exitCode: 0 });
  expect(await post(`${url}/@shop`, initialize, { authorization })).toMatchObject({ status: 404 });
  expect(await place.run(["trust", "--forget", "shop"])).toMatchObject({ exitCode: 3 });
});

test("what a client reaches by the address of one project is nothing of another, however it is written", async () => {
  const place = new Place();
  const shop = join(place.folder, "..", "shop");
  mkdirSync(shop);
  expect(await place.run(["trust", shop, "--as", "shop", "--yes"])).toMatchObject({ exitCode: 0 });
  const served = place.start(["serve", "--port", "0", "--json"]);
  const said = JSON.parse(await untilSays(served.stdout as NodeJS.ReadableStream, "\n")) as { url: string };
  const authorization = `Bearer ${readFileSync(join(place.home, "token"), "utf8").trim()}`;
  const begin = async (url: string) => {
    const { session } = await post(url, initialize, { authorization });
    const headers = { authorization, "mcp-session-id": session };
    await post(url, { method: "notifications/initialized" }, headers);
    const call = (name: string, args: object, at = url) =>
      post(at, { id: 2, method: "tools/call", params: { name, arguments: args } }, headers);
    return call;
  };
  const here = await begin(said.url);
  const inShop = await begin(`${said.url}/@shop`);
  const own = join(place.folder, "own.txt");
  const written = (await here("write", { path: "own.txt", content: "mine" })).body.result;
  const { "haft/call": made } = (written as { _meta: { "haft/call": { id: string } } })._meta;

  // A session of one address is unknown at the other.
  expect(await here("read", { path: "own.txt" }, `${said.url}/@shop`)).toMatchObject({ status: 404 });
  for (const [tool, args] of [
    ["read", { path: own }],
    ["read", { path: `../${basename(place.folder)}/own.txt` }],
    ["write", { path: own, content: "theirs" }],
    ["undo_changes", { call_id: made.id }],
    ["bash", { command: `cat ${own}` }],
  ] as const)
    expect(await inShop(tool, args)).toMatchObject({ body: { result: { isError: true } } });
  expect(readFileSync(own, "utf8")).toBe("mine");
  // Nothing of the address is taken for a path.
  for (const way of ["@..", "@../project", "@shop/../@other", "%40shop", "@shop/", "@SHOP"])
    expect([way, (await post(`${said.url}/${way}`, initialize, { authorization })).status]).toEqual([
      way,
      404,
    ]);
});

interface RootedClient {
  /** Writes the note.txt of the folder that the tools work in; returns what the model reads. */
  readonly write: (content: string) => Promise<string>;
  /** Says that the client works in another folder now. */
  readonly move: (folder: string) => Promise<void>;
}

/** The official client of 2025-11-25, which works in a folder and says so. */
async function connectRooted(url: string, authorization: string, folder: string): Promise<RootedClient> {
  let root = folder;
  const client = new Client(clientInfo, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization } },
  });
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  onTestFinished(() => client.close());
  return {
    write: async (content) => {
      const { content: blocks } = await client.callTool({
        name: "write",
        arguments: { path: "note.txt", content },
      });
      return (blocks as { text: string }[]).map(({ text }) => text).join("\n");
    },
    move: async (to) => {
      root = to;
      await client.sendRootsListChanged();
    },
  };
}

test("a client of haft serve works in the root it names where the owner named that folder, else it is told", async () => {
  const place = new Place();
  const [shop, other] = ["shop", "other one"].map((name) => join(place.folder, "..", name)) as [
    string,
    string,
  ];
  mkdirSync(shop);
  mkdirSync(other);
  expect(await place.run(["trust", shop, "--as", "shop", "--yes"])).toMatchObject({ exitCode: 0 });
  const served = place.start(["serve", "--port", "0", "--json"]);
  const said = await untilSays(served.stdout as NodeJS.ReadableStream, "\n");
  const { url } = JSON.parse(said) as { url: string };
  const authorization = `Bearer ${readFileSync(join(place.home, "token"), "utf8").trim()}`;

  const client = await connectRooted(url, authorization, shop);
  expect(await client.write("one")).toContain(`These tools work in ${shop} now`);
  expect(readFileSync(join(shop, "note.txt"), "utf8")).toBe("one");
  expect(existsSync(join(place.folder, "note.txt"))).toBe(false);

  await client.move(other);
  const refused = await client.write("two");
  expect(refused).toContain(`These tools work in ${place.folder}, not in the client's folder ${other}:`);
  expect(refused).toContain(`\`haft trust '${other}' --as other-one\``);
  expect(readFileSync(join(place.folder, "note.txt"), "utf8")).toBe("two");
  expect(existsSync(join(other, "note.txt"))).toBe(false);

  expect(await place.run(["trust", other, "--as", "other", "--yes"])).toMatchObject({ exitCode: 0 });
  expect(await client.write("three")).toContain(`These tools work in ${other} now`);
  expect(readFileSync(join(other, "note.txt"), "utf8")).toBe("three");

  const there = await connectRooted(url, authorization, place.folder);
  expect(await there.write("four")).not.toContain("These tools work in");
});

test.for(["the root", "the home folder"])(
  "haft mcp that a client starts in %s works in no folder, and says how to name one",
  async (where) => {
    const place = new Place();
    const cwd = where === "the root" ? "/" : place.folder;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...startHaft, "mcp"],
      cwd,
      env: place.environment({ HOME: place.folder }) as Record<string, string>,
      stderr: "pipe",
    });
    const warned = untilSays(transport.stderr as unknown as NodeJS.ReadableStream, "\n");
    const client = new Client(clientInfo);
    await client.connect(transport);
    onTestFinished(() => client.close());
    const said = `haft was started in ${cwd}, which is no project (it is the whole `;
    const instructions = client.getInstructions();
    expect(instructions).toContain(said);
    expect(instructions).toContain("as `haft mcp --folder DIR`");
    expect(instructions).not.toContain("These tools work in");
    expect(await warned).toContain(said);
    const args = { path: "haft-test-note.txt", content: "text" };
    const noFolder = [
      { text: expect.stringContaining("no folder is open, since haft was started outside any") },
    ];
    expect(await client.callTool({ name: "write", arguments: args })).toMatchObject({
      isError: true,
      content: noFolder,
    });
    expect(await client.callTool({ name: "read", arguments: { path: "a.txt" } })).toMatchObject({
      isError: true,
      content: noFolder,
    });
    // An absolute path there is outside of what the tools work in: it asks.
    const path = join(place.folder, "haft-test-note.txt");
    expect(await client.callTool({ name: "write", arguments: { path, content: "text" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("nobody to ask here") }],
    });
    expect(existsSync(join(cwd, "haft-test-note.txt"))).toBe(false);
    expect(existsSync(path)).toBe(false);
  },
);

test("haft connect writes no home folder down as the project of a client without one", async () => {
  const place = new Place();
  const connect = (...more: string[]) =>
    place.run(["connect", "claude-desktop", ...more, "--yes"], "", {
      HOME: place.folder,
      XDG_CONFIG_HOME: "",
    });
  expect(await connect()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      "this folder is none (it is the whole home folder); name one with --folder",
    ),
  });
  const shop = join(place.folder, "shop");
  mkdirSync(shop);
  expect(await connect("--folder", shop)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(shop),
  });
});
