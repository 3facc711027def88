import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/index.ts";
import { Pace } from "../pace.ts";
import { StdioServer } from "./stdio-server.ts";

test("StdioServer.write() sends what is asked in one turn of the event loop in one write", async () => {
  const written: string[] = [];
  const stdin = new PassThrough();
  stdin.on("data", (chunk: Buffer) => written.push(chunk.toString()));
  const peer = { pid: 1, stdin, stdout: new PassThrough(), close: async () => {} };
  const pace = new Pace({
    burst: 100,
    perSecond: 100,
    floodMs: 1000,
    clock: systemClock,
    toFlood: () => new Error("It floods"),
  });
  const server = new StdioServer("plain", peer, pace, { stray: () => {}, lost: () => {} });
  const ids = Array.from({ length: 20 }, (_, id) => id);
  await Promise.all(ids.map((id) => server.write({ jsonrpc: "2.0", id, method: "ping" })));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(written).toHaveLength(1);
  const sent = written[0]?.trim().split("\n") ?? [];
  expect(sent.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(ids);
});
