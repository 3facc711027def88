import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Connector } from "../../host/index.ts";
import { type FetchOverOptions, fetchOver } from "./fetch-over.ts";

/** A connector that reaches nobody, and gives what is to be read. */
function pretendConnector(parts: number) {
  const asked: object[] = [];
  const connector: Pick<Connector, "origin" | "open"> = {
    origin: async (url) => ({ kind: "connect", target: new URL(url).origin, within: false }),
    open: async (request, context) => {
      asked.push({ ...request, effects: context.effects });
      const body = Readable.from(Array.from({ length: parts }, () => Buffer.alloc(1_000_000, "x")));
      const headers = { "content-type": "text/event-stream" };
      return { url: request.url, status: 200, statusText: "OK", headers, body };
    },
  };
  return { connector, asked };
}

const options: FetchOverOptions = {
  origin: "https://api.example.com",
  authorize: async () => ({ authorization: "Bearer real" }),
  refuse: () => new Error("refused"),
  split: () => "",
  tooLarge: () => new Error("too large"),
  elsewhere: () => new Error("elsewhere"),
};

test("fetchOver() asks the configured origin alone, with the real key in the place of that of the package", async () => {
  const { connector, asked } = pretendConnector(1);
  const fetch = fetchOver(connector, options);
  const init = { method: "POST", headers: { Authorization: "Bearer haft", "X-Other": "1" }, body: "{}" };
  const answer = await fetch("https://api.example.com/v1/messages", init);
  expect(await answer.text()).toHaveLength(1_000_000);
  expect(asked).toEqual([
    {
      url: "https://api.example.com/v1/messages",
      isConfigured: true,
      method: "POST",
      headers: { authorization: "Bearer real", "x-other": "1" },
      body: "{}",
      effects: [{ kind: "connect", target: "https://api.example.com", within: false }],
    },
  ]);
  await expect(fetch("https://elsewhere.example/v1", init)).rejects.toThrow("elsewhere");
  await expect(fetch("http://api.example.com/v1", init)).rejects.toThrow("elsewhere");
  expect(asked).toHaveLength(1);
});

test("fetchOver() reads a long stream, and none without end", async () => {
  const read = async (parts: number) => {
    const answer = await fetchOver(pretendConnector(parts).connector, options)("https://api.example.com/v1");
    let size = 0;
    for await (const part of answer.body as AsyncIterable<Uint8Array>) size += part.byteLength;
    return size;
  };
  expect(await read(60)).toBe(60_000_000);
  await expect(read(70)).rejects.toThrow("too large");
});
