import { expect, test } from "vitest";
import { defineTool, type Tool } from "../../src/kernel/index.ts";
import type { ChooseServer, McpServer } from "../../src/server/mcp/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { serveHttp } from "./support/http.ts";
import { type RpcAnswer, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { harmless } from "./support/tools.ts";

function whereTool(folder: string): Tool {
  return defineTool({
    name: "where",
    description: "Say the folder.",
    parameters: { type: "object" },
    ...harmless,
    execute: () => folder,
  });
}

/** A server of the folder /start, where those whose first root is /shop are sent to another. */
async function serveRooted() {
  const clock = createFakeClock();
  const asked: unknown[] = [];
  const shop: McpServer = startServer([whereTool("/shop")]).server;
  let inside = 0;
  const chooseServer: ChooseServer = (roots) => {
    asked.push(roots?.map(({ uri }) => uri));
    if (roots?.[0]?.uri !== "file:///shop") return Promise.resolve({ note: "in /start" });
    inside++;
    return Promise.resolve({ server: shop, note: "in /shop", leave: () => void inside-- });
  };
  const { server } = startServer([whereTool("/start")], { server: { clock, chooseServer } });
  const http = await serveHttp(server);
  const call = (id: number) => request(id, "tools/call", { name: "where", arguments: {} });
  return { http, clock, asked, call, inside: () => inside };
}

function listTexts(message: RpcAnswer | undefined): unknown {
  const content = message?.result?.["content"] as readonly { readonly text: string }[] | undefined;
  return content?.map(({ text }) => text);
}

test("a session works in the project that its client's roots choose, and moves when they change", async () => {
  const { http, asked, call, inside } = await serveRooted();
  const session = await http.begin("2025-11-25", { roots: { listChanged: true } });
  const tell = async (id: number, uri: string) => {
    const answer = await http.open("POST", call(id), session);
    const question = await answer.next();
    expect(question?.method).toBe("roots/list");
    const roots = [{ uri }];
    await http.send("POST", { jsonrpc: "2.0", id: question?.id, result: { roots } }, session);
    const messages: RpcAnswer[] = [];
    for (let next = await answer.next(); next !== undefined; next = await answer.next()) messages.push(next);
    return messages;
  };
  const [changed, first] = await tell(1, "file:///shop");
  expect(changed?.method).toBe("notifications/tools/list_changed");
  expect(listTexts(first)).toEqual(["/shop", "in /shop"]);
  const again = await http.send("POST", call(2), session);
  expect(again.messages.map(listTexts)).toEqual([["/shop"]]);
  const notification = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
  await http.send("POST", notification, session);
  expect(listTexts((await tell(3, "file:///elsewhere")).at(-1))).toEqual(["/start", "in /start"]);
  expect(asked).toEqual([["file:///shop"], ["file:///shop"], ["file:///elsewhere"]]);
  expect(inside()).toBe(0);
});

test("a client that never tells its roots, or tells nonsense, works where the server was started", async () => {
  const { http, clock, asked, call } = await serveRooted();
  const silent = await http.begin("2025-06-18", { roots: {} });
  const answer = await http.open("POST", call(1), silent);
  expect((await answer.next())?.method).toBe("roots/list");
  await clock.advance(3000);
  expect((await answer.next())?.method).toBe("notifications/cancelled");
  expect(listTexts(await answer.next())).toEqual(["/start", "in /start"]);
  expect((await http.send("POST", call(2), silent)).messages.map(listTexts)).toEqual([["/start"]]);
  for (const said of [{ result: { roots: "all" } }, { error: { code: -32_601, message: "No." } }]) {
    const session = await http.begin("2025-03-26", { roots: {} });
    const open = await http.open("POST", call(1), session);
    const question = await open.next();
    await http.send("POST", { jsonrpc: "2.0", id: question?.id, ...said }, session);
    expect(listTexts(await open.next())).toEqual(["/start", "in /start"]);
  }
  expect(asked).toEqual([undefined, undefined, undefined, undefined]);
});

test("a client without roots is not asked for them, and one of 2026-07-28 goes by the address", async () => {
  const { http, asked, call } = await serveRooted();
  const session = await http.begin("2025-11-25", {});
  expect((await http.send("POST", call(1), session)).messages.map(listTexts)).toEqual([
    ["/start", "in /start"],
  ]);
  const modern = await http.modern(1, "tools/call", { name: "where", arguments: {} }, { roots: {} });
  expect(modern.messages.map(listTexts)).toEqual([["/start"]]);
  expect(asked).toEqual([[]]);
});
