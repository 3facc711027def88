import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createHttpHandler } from "../../src/server/mcp/index.ts";
import { pngPixel } from "../fixtures/mcp/content-tools.ts";
import { createInteropServer } from "../fixtures/mcp/interop.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { type Asked, type ClientKind, clientKinds, connect, type Target } from "./support/sdk-clients.ts";

const transports = ["stdio", "HTTP"] as const;
// On stdio, "auto" becomes "modern" once the server is found to be: one process less to start for each test.
const pairs = transports.flatMap((transport) =>
  clientKinds
    .filter((kind) => transport === "HTTP" || kind !== "v2 modern")
    .map((kind) => ({ kind, transport })),
);
const modern: readonly ClientKind[] = ["v2 auto", "v2 modern"];

async function open(transport: (typeof transports)[number]): Promise<Target> {
  if (transport === "stdio") return { file: "interop-stdio.js" };
  const server = await listenOnLoopback(createHttpHandler(createInteropServer(), { token: "a-secret" }));
  return { url: `${server.url}/mcp`, token: "a-secret" };
}

test.for(pairs)("SDK client $kind on $transport lists and calls tools", async ({ kind, transport }) => {
  const client = await connect(kind, await open(transport));
  expect(client.protocolVersion).toBe(modern.includes(kind) ? "2026-07-28" : "2025-11-25");
  expect(await client.list()).toEqual([
    "greet",
    "picture",
    "count",
    "remove",
    "wait",
    "cancellations",
    "grow",
    "peak_memory",
  ]);
  expect(await client.call("greet", { name: "Ada" })).toMatchObject({
    content: [{ type: "text", text: '{"greeting":"Hello, Ada"}' }],
    structuredContent: { greeting: "Hello, Ada" },
  });
  expect((await client.call("picture")).content).toEqual([
    { type: "image", data: pngPixel, mimeType: "image/png" },
  ]);
});

test.for(pairs)(
  "SDK client $kind on $transport gets faults of arguments as answers of the tool",
  async ({ kind, transport }) => {
    const client = await connect(kind, await open(transport));
    const wrong = await client.call("greet", {});
    expect(wrong.isError).toBe(true);
    expect(wrong.content?.[0]?.text).toMatch(/name.*\[TOOL_VALIDATION\]/s);
    expect(wrong._meta).toMatchObject({ "haft/call": { code: "TOOL_VALIDATION", id: expect.any(String) } });
    await expect(client.call("gret", { name: "Ada" })).rejects.toThrow(
      /Cannot find tool "gret"; did you mean "greet"/,
    );
  },
);

test.for(pairs)("SDK client $kind on $transport sees progress", async ({ kind, transport }) => {
  const client = await connect(kind, await open(transport));
  const runs: number[][] = [];
  const answers: unknown[] = [];
  // News that come close together are told as one, and the SDKs drop those that are read with the answer: on a busy machine
  // that can be all of them.
  await expect
    .poll(async () => {
      const seen: number[] = [];
      runs.push(seen);
      const onProgress = ({ progress }: { progress: number }) => void seen.push(progress);
      const { content } = await client.call("count", { to: 4 }, { onProgress });
      answers.push(content);
      return seen;
    })
    .toSatisfy((seen: readonly number[]) => seen[0] === 1 && seen.length > 1);
  for (const seen of runs) expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  for (const content of answers) expect(content).toEqual([{ type: "text", text: "counted to 4" }]);
});

test.for(pairs)(
  "SDK client $kind on $transport cancels a call, and the tool learns of it",
  async ({ kind, transport }) => {
    const client = await connect(kind, await open(transport));
    const controller = new AbortController();
    const started = Promise.withResolvers<void>();
    const call = client.call("wait", {}, { signal: controller.signal, onProgress: () => started.resolve() });
    await started.promise;
    controller.abort(new Error("changed my mind"));
    await expect(call).rejects.toThrow(/changed my mind|abort/i);
    await expect.poll(async () => (await client.call("cancellations")).content?.[0]?.text).toBe("1");
  },
);

test.for(pairs)("SDK client $kind on $transport asks its user, who says yes", async ({ kind, transport }) => {
  const asked: Asked[] = [];
  const client = await connect(kind, await open(transport), {
    answer: (question) => {
      asked.push(question);
      return { action: "accept", content: { decision: "allow once" } };
    },
  });
  const result = await client.call("remove", { path: "/tmp/a\u202efdp" });
  expect(result.content).toEqual([{ type: "text", text: "removed /tmp/a\u202efdp" }]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.message).toBe(
    [
      "Allow the tool remove (Remove a file), version 1, to run?",
      "",
      "It will:",
      "- delete /tmp/a\\u{202e}fdp",
      "",
      "Asked because: no rule allows it",
      "",
      "Arguments:",
      '{\n  "path": "/tmp/a\\u{202e}fdp"\n}',
    ].join("\n"),
  );
});

test.for(pairs)("SDK client $kind on $transport asks its user, who says no", async ({ kind, transport }) => {
  const client = await connect(kind, await open(transport), {
    answer: () => ({ action: "accept", content: { decision: "deny" } }),
  });
  const result = await client.call("remove", { path: "/tmp/a" });
  expect(result.isError).toBe(true);
  expect(result.content?.[0]?.text).toMatch(/Permission denied: .*mcp:\w+ said no.*\[TOOL_PERMISSION\]/s);
});

test.for(pairs)(
  "SDK client $kind on $transport that can't ask is refused, and told how to allow",
  async ({ kind, transport }) => {
    const client = await connect(kind, await open(transport));
    const result = await client.call("remove", { path: "/tmp/a" });
    expect(result.isError).toBe(true);
    expect(result.content?.[0]?.text).toMatch(
      /there is nobody to ask here; allow it in the configuration \[TOOL_PERMISSION\]/,
    );
  },
);

test.for(pairs)(
  "SDK client $kind on $transport hears that the tools have changed",
  async ({ kind, transport }) => {
    const client = await connect(kind, await open(transport));
    // The stream for such news may open a moment after the connection: a change that nobody heard is made again.
    let isHeard = false;
    const heard = client.changed.then(() => {
      isHeard = true;
    });
    while (!isHeard) {
      await client.call("grow");
      await Promise.race([heard, delay(100)]);
    }
    expect(await client.list()).toContain("picture_1");
  },
);
