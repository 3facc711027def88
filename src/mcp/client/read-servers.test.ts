import { describe, expect, test } from "vitest";
import { describeTarget } from "./config.ts";
import { readServers } from "./read-servers.ts";

describe("readServers()", () => {
  test("reads the form of other clients, and what haft adds to it", () => {
    const { servers, problems } = readServers({
      files: { command: "npx", args: ["-y", "server-files", "/tmp"], env: { A: "secret:A" }, disabled: true },
      remote: {
        type: "streamableHttp",
        url: "https://mcp.example.com/mcp",
        headers: { authorization: "Bearer ${secret:TOKEN}" },
        allow: ["get_*"],
        deny: ["get_all"],
        rename: { get_x: "x" },
        timeout: 5000,
        concurrency: 2,
        trust: { annotations: true },
        autoApprove: ["everything"],
      },
    });
    expect(problems).toEqual([]);
    expect(servers).toEqual([
      {
        name: "files",
        command: "npx",
        args: ["-y", "server-files", "/tmp"],
        env: { A: "secret:A" },
        enabled: false,
      },
      {
        name: "remote",
        type: "streamable-http",
        url: "https://mcp.example.com/mcp",
        headers: { authorization: "Bearer ${secret:TOKEN}" },
        allow: ["get_*"],
        deny: ["get_all"],
        rename: { get_x: "x" },
        timeout: 5000,
        concurrency: 2,
        trust: { annotations: true },
      },
    ]);
  });

  test("reads a list of entries with a name and a transport", () => {
    const { servers } = readServers([
      { name: "filesystem", transport: "stdio", command: "npx", args: [], cwd: ".", enabled: true },
      { name: "remote", transport: "sse", url: "http://localhost:3000/sse" },
    ]);
    expect(servers).toMatchObject([
      { name: "filesystem", type: "stdio", enabled: true },
      { name: "remote", type: "sse" },
    ]);
  });

  test.each([
    [{ a: { command: "x", url: "https://a.example" } }, 'both "command" and "url"'],
    [{ a: {} }, 'neither "command" nor "url"'],
    [{ a: "npx" }, "must be an object"],
    [{ a: { command: 7 } }, '"command" must be a text'],
    [{ a: { command: "x", type: "carrier-pigeon" } }, '"type" must be one of'],
    [{ a: { url: "https://a.example", type: "stdio" } }, 'needs a "command"'],
    [{ a: { command: "x", type: "http" } }, 'needs a "url"'],
    [{ a: { url: "file:///etc/passwd" } }, "http:// or https://"],
    [{ a: { command: "x", timeout: 0 } }, "milliseconds"],
    [{ a: { command: "x", trust: { everything: true } } }, '"trust" must be'],
    [{ a: { command: "x", trust: { readOnly: { peek: true } } } }, '"trust" must be'],
    [{ "a\u202eb": { command: "x" } }, "without spaces"],
    [[{ command: "x" }], "it needs a name"],
    ["npx", "an object by name, or a list"],
  ])("costs only itself: %j", (raw, message) => {
    const { servers, problems } = readServers(raw);
    expect(servers).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
  });

  test("takes the first of two of a name, and goes on after a bad one", () => {
    const { servers, problems } = readServers([
      { name: "a", command: "one" },
      { name: "a", command: "two" },
      { name: "b", command: "three" },
    ]);
    expect(servers.map(({ command }) => command)).toEqual(["one", "three"]);
    expect(problems).toEqual([{ where: "a", message: 'the name "a" is taken' }]);
  });

  test("of nothing is nothing", () => {
    expect(readServers(undefined)).toEqual({ servers: [], problems: [] });
  });
});

test("describeTarget() names no secret of an address", () => {
  const target = describeTarget({ name: "a", url: "https://me:pass@mcp.example.com/x?key=123#y" });
  expect(target).toBe("https://mcp.example.com/x");
  expect(describeTarget({ name: "a", command: "npx", args: ["-y", "x"] })).toBe("npx -y x");
});
