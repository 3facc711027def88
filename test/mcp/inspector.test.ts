import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createHttpHandler } from "../../src/server/mcp/index.ts";
import { createInteropServer } from "../fixtures/mcp/interop.ts";
import { listenOnLoopback } from "../support/loopback.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Finished {
  readonly code: number;
  readonly said: unknown;
}

/** Runs the Inspector's command line with the Node of this repository. */
function inspect(args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
    execFile(
      `${root}/node_modules/.bin/mcp-inspector`,
      ["--cli", ...args],
      { cwd: root, env },
      (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : Number(error.code),
          said: JSON.parse(stdout || stderr) as unknown,
        });
      },
    );
  });
}

const onStdio = ["node", "test/fixtures/mcp/interop-stdio.ts"];

async function onHttp(): Promise<readonly string[]> {
  const server = await listenOnLoopback(createHttpHandler(createInteropServer()));
  return [`${server.url}/mcp`, "--transport", "http"];
}

const transports = [
  { name: "stdio", target: async () => onStdio },
  { name: "HTTP", target: onHttp },
];

test.for(transports)(
  "the Inspector lists the tools on $name, and finds every schema portable",
  async ({ target }) => {
    const listed = await inspect([...(await target()), "--strict", "--method", "tools/list"]);
    expect(listed.code).toBe(0);
    expect(listed.said).toMatchObject({
      tools: [{ name: "greet", title: "Greet" }, { name: "picture" }, { name: "count" }, {}, {}, {}, {}, {}],
    });
  },
);

test.for(transports)("the Inspector calls a tool on $name", async ({ target }) => {
  const args = ["--method", "tools/call", "--tool-name", "greet", "--tool-arg", "name=Ada"];
  const called = await inspect([...(await target()), ...args]);
  expect(called).toEqual({
    code: 0,
    said: {
      content: [{ type: "text", text: '{"greeting":"Hello, Ada"}' }],
      structuredContent: { greeting: "Hello, Ada" },
      _meta: { "haft/call": { id: expect.any(String) } },
    },
  });
});

test.for(transports)("the Inspector is told on $name that there is no such tool", async ({ target }) => {
  const called = await inspect([...(await target()), "--method", "tools/call", "--tool-name", "nothing"]);
  expect(called).toMatchObject({ code: 5, said: { error: { code: "tool_not_found" } } });
});
