import { expect, test } from "vitest";
import { missingNeeds } from "./known-servers.ts";

const none = { hosts: [], paths: [], secrets: [] };

test.for([
  [
    ["npx", "-y", "@modelcontextprotocol/server-filesystem@1.2.3", "/srv/a", "/srv/b"],
    { hosts: ["registry.npmjs.org"], paths: ["~/.npm", "/srv/a", "/srv/b"], secrets: [] },
  ],
  [["node_modules/.bin/mcp-server-filesystem", "."], { ...none, paths: ["."] }],
  [
    ["uvx", "mcp-server-git", "--repository", "/srv/shop"],
    {
      hosts: ["pypi.org", "files.pythonhosted.org"],
      paths: ["~/.cache/uv", "~/.local/share/uv", "/srv/shop"],
      secrets: [],
    },
  ],
  [["mcp-server-git", "--repository=/srv/shop"], { ...none, paths: ["/srv/shop"] }],
  [["mcp-server-fetch"], { ...none, note: expect.stringContaining("--host") }],
  [["mcp-server-memory"], { ...none, note: expect.stringContaining("MEMORY_FILE_PATH") }],
  [["/opt/bin/tavily-mcp"], { ...none, hosts: ["api.tavily.com"], secrets: ["TAVILY_API_KEY"] }],
  [["node", "my-mcp-server-memory-of-mine.js"], undefined],
  [["node_modules/@evil/tavily-mcp"], undefined],
  [["node", "server.js", "tavily-mcp"], undefined],
  [["python3", "-m", "tavily-mcp"], { ...none, hosts: ["api.tavily.com"], secrets: ["TAVILY_API_KEY"] }],
  [["bunx-of-mine", "@evil/tavily-mcp"], undefined],
  [["my-launcher", "https://evil.example/mcp-server-fetch"], undefined],
  [["my-server", "--read", "mcp-server-filesystem", "/srv/a"], undefined],
] as const)("missingNeeds() of %j", ([[command, ...args], needs]) => {
  expect(missingNeeds({ name: "x", command, args }, "/srv")).toEqual(needs);
});

test("missingNeeds() leaves out what the server has, an address, and what is not in the sandbox", () => {
  const fetcher = { name: "x", command: "uvx", args: ["mcp-server-fetch"] };
  const hosts = ["pypi.org", "files.pythonhosted.org", "example.com"];
  const paths = ["~/.cache/uv", "~/.local/share/uv"];
  expect(missingNeeds({ ...fetcher, hosts, paths }, "/srv")).toBeUndefined();
  expect(missingNeeds({ ...fetcher, unconfined: true }, "/srv")).toBeUndefined();
  expect(missingNeeds({ name: "x", url: "https://example.com/mcp" }, "/srv")).toBeUndefined();
  const memory = {
    name: "x",
    command: "mcp-server-memory",
    env: { MEMORY_FILE_PATH: "/srv/m/memory.jsonl" },
  };
  expect(missingNeeds(memory, "/srv")).toEqual({ ...none, paths: ["/srv/m"] });
  expect(missingNeeds({ ...memory, paths: ["m"] }, "/srv")).toBeUndefined();
});
