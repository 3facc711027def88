import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CallRecord } from "../../src/store/index.ts";
import { Place, untilSays } from "./cli-process.ts";

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
