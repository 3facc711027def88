import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ClientPlaces, clientKinds } from "./clients.ts";
import { findClientServers } from "./find-client-servers.ts";

function createPlaces(platform: NodeJS.Platform = "linux") {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-clients-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const places: ClientPlaces = {
    home: join(root, "home"),
    folder: join(root, "project"),
    platform,
    variable: () => undefined,
  };
  mkdirSync(places.home);
  mkdirSync(places.folder);
  const put = (file: string, content: unknown) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  };
  return {
    places,
    root,
    put,
    own: (file: string, content: unknown) => put(join(places.home, file), content),
    project: (file: string, content: unknown) => put(join(places.folder, file), content),
  };
}

const npx = { hosts: ["registry.npmjs.org"], paths: ["~/.npm"] };

test("findClientServers() reads the forms of all clients", async () => {
  const { places, own, project } = createPlaces();
  own(".claude.json", {
    mcpServers: { a: { type: "stdio", command: "npx", args: ["-y", "a"], env: { KEY: "${KEY}" } } },
    projects: {
      [places.folder]: {
        mcpServers: { b: { type: "sse", url: "https://b.example/sse", headers: { X: "1" } } },
      },
      "/elsewhere": { mcpServers: { other: { command: "other" } } },
    },
  });
  own(".config/Claude/claude_desktop_config.json", { mcpServers: { c: { command: "c" } } });
  own(
    ".cursor/mcp.json",
    '\uFEFF{ // mine\n "mcpServers": { "d": { "command": "d", "args": ["//no", "/*comment*/", ",}"], }, }, }',
  );
  own(".config/Code/User/mcp.json", {
    inputs: [{ id: "api-key", type: "promptString", password: true }],
    servers: {
      e: {
        type: "http",
        url: "https://e.example/mcp",
        headers: { Authorization: "Bearer ${input:api-key}" },
      },
    },
  });
  project(".vscode/mcp.json", {
    servers: {
      f: {
        command: "f",
        args: ["${workspaceFolder}/x", "${userHome}"],
        cwd: "${workspaceFolder}",
        envFile: ".env",
      },
    },
  });
  own(".codeium/windsurf/mcp_config.json", { mcpServers: { g: { serverUrl: "https://g.example/mcp" } } });
  own(".gemini/settings.json", {
    mcpServers: {
      h: {
        httpUrl: "https://h.example/mcp",
        timeout: 5000,
        trust: true,
        includeTools: ["x"],
        excludeTools: ["y"],
      },
    },
  });
  own(
    ".codex/config.toml",
    `model = "m"
[mcp_servers.i]
command = "i"
args = ["--one"]
env_vars = ["HOST_KEY"]
tool_timeout_sec = 90
enabled_tools = ["read"]
[mcp_servers.i.env]
A = "1"
[mcp_servers."the other"]
url = "https://j.example/mcp"
bearer_token_env_var = "J_TOKEN"
enabled = false
env_http_headers = { "X-Key" = "J_KEY" }
`,
  );
  own(".config/opencode/opencode.jsonc", {
    mcp: {
      k: { type: "local", command: ["bun", "x", "k"], environment: { T: "{env:T}" }, enabled: false },
      l: { type: "remote", url: "https://l.example/mcp", oauth: {} },
    },
  });
  own(".config/zed/settings.json", {
    context_servers: { m: { command: { path: "m", args: ["1"], env: { A: "b" } } } },
  });
  own(".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", {
    mcpServers: {
      n: { command: "n", autoApprove: ["all"], disabled: true, timeout: 60, type: "streamableHttp" },
    },
  });
  project(".roo/mcp.json", { mcpServers: { o: { command: "o", disabledTools: ["z"] } } });
  own(".qwen/settings.json", { mcpServers: { p: { command: "p", trust: true } } });
  own(".copilot/mcp-config.json", { mcpServers: { q: { type: "local", command: "q", tools: ["*"] } } });
  own(".kiro/settings/mcp.json", { mcpServers: { r: { command: "r", autoApprove: ["*"] } } });
  own(".config/amp/settings.json", { "amp.mcpServers": { s: { command: "s" } } });
  own(".config/crush/crush.json", { mcp: { t: { type: "stdio", command: "t", args: ["1"] } } });
  own(".lmstudio/mcp.json", { mcpServers: { u: { command: "u" } } });
  const { servers, passedOver } = await findClientServers(places);
  expect(passedOver).toEqual([]);
  const byName = Object.fromEntries(
    servers.map(({ server, client, owner, notes }) => [server.name, { server, client, owner, notes }]),
  );
  const own1 = (client: string, server: object, notes: string[] = []) => ({
    client,
    owner: "user",
    server,
    notes,
  });
  expect(byName).toEqual({
    a: own1("claude-code", {
      name: "a",
      command: "npx",
      args: ["-y", "a"],
      env: { KEY: "${KEY:-}" },
      ...npx,
    }),
    b: own1("claude-code", { name: "b", url: "https://b.example/sse", type: "sse", headers: { X: "1" } }),
    c: own1("claude-desktop", { name: "c", command: "c" }),
    d: own1("cursor", { name: "d", command: "d", args: ["//no", "/*comment*/", ",}"] }),
    e: own1(
      "vscode",
      {
        name: "e",
        url: "https://e.example/mcp",
        type: "http",
        headers: { Authorization: "Bearer ${secret:API_KEY}" },
      },
      ["it asks for API_KEY; store it with `haft secret set API_KEY`"],
    ),
    f: {
      client: "vscode",
      owner: "project",
      server: { name: "f", command: "f", args: ["./x", places.home] },
      notes: ["its file of variables is not read here; give what it needs as env"],
    },
    g: own1("windsurf", { name: "g", url: "https://g.example/mcp" }),
    h: own1("gemini", {
      name: "h",
      url: "https://h.example/mcp",
      type: "streamable-http",
      timeout: 5000,
      allow: ["x"],
      deny: ["y"],
    }),
    i: own1("codex", {
      name: "i",
      command: "i",
      args: ["--one"],
      env: { HOST_KEY: "${HOST_KEY:-}", A: "1" },
      timeout: 90_000,
      allow: ["read"],
    }),
    "the-other": own1("codex", {
      name: "the-other",
      url: "https://j.example/mcp",
      enabled: false,
      headers: { "X-Key": "${J_KEY:-}", Authorization: "Bearer ${J_TOKEN:-}" },
    }),
    k: own1("opencode", {
      name: "k",
      command: "bun",
      args: ["x", "k"],
      env: { T: "${T:-}" },
      enabled: false,
    }),
    l: own1("opencode", { name: "l", url: "https://l.example/mcp" }, [
      "it is signed in to with `haft mcp login`",
    ]),
    m: own1("zed", { name: "m", command: "m", args: ["1"], env: { A: "b" } }),
    n: own1("cline", { name: "n", command: "n", timeout: 60_000, enabled: false }),
    o: { client: "roo", owner: "project", server: { name: "o", command: "o", deny: ["z"] }, notes: [] },
    p: own1("qwen", { name: "p", command: "p" }),
    q: own1("copilot", { name: "q", command: "q" }),
    r: own1("kiro", { name: "r", command: "r" }),
    s: own1("amp", { name: "s", command: "s" }),
    t: own1("crush", { name: "t", command: "t", args: ["1"] }),
    u: own1("lmstudio", { name: "u", command: "u" }),
  });
  expect([...new Set(servers.map(({ client }) => client))].sort()).toEqual(
    clientKinds.map(({ id }) => id).sort(),
  );
});

test.for([
  ["darwin", "Library/Application Support/Claude/claude_desktop_config.json"],
  ["win32", "AppData/Roaming/Claude/claude_desktop_config.json"],
] as const)(
  "findClientServers() looks where desktop programs keep their settings on %s",
  async ([platform, file]) => {
    const { places, own } = createPlaces(platform);
    own(file, { mcpServers: { a: { command: "a" } } });
    expect((await findClientServers(places)).servers).toMatchObject([{ client: "claude-desktop" }]);
  },
);

test("findClientServers() passes over what it can't read or use, and names it without telling what is in it", async () => {
  const { places, own, project, put, root } = createPlaces();
  own(".cursor/mcp.json", "-----BEGIN canary-----");
  own(".codex/config.toml", "[mcp_servers\ncanary");
  own(".codeium/windsurf/mcp_config.json", { mcpServers: ["canary"] });
  own(".config/zed/settings.json", { context_servers: { extension: { source: "extension", settings: {} } } });
  own(".claude.json", {
    mcpServers: {
      both: { command: "a", url: "https://b.example" },
      odd: { command: "${command:x}" },
      bad: 7,
    },
  });
  put(join(root, "elsewhere.json"), { mcpServers: { linked: { command: "canary" } } });
  symlinkSync(join(root, "elsewhere.json"), join(places.folder, ".mcp.json"));
  project(".gemini/settings.json", { theme: "dark" });
  project(".roo/mcp.json", "");
  const found = await findClientServers(places);
  expect(found.passedOver.map(({ client, server, reason }) => [client, server, reason])).toEqual([
    ["claude-code", "both", expect.stringContaining("both")],
    ["claude-code", "odd", "it has variables that mean nothing here: ${command:x}"],
    ["claude-code", "bad", "it is no object"],
    ["claude-code", undefined, expect.any(String)],
    ["cursor", undefined, "it is no JSON"],
    ["windsurf", undefined, "its servers are no object"],
    ["codex", undefined, "it is no TOML"],
    ["zed", "extension", expect.stringContaining("neither")],
  ]);
  expect(JSON.stringify(found)).not.toContain("canary");
});

test("findClientServers() leaves haft itself out, and what is the same twice", async () => {
  const { places, own, project } = createPlaces();
  own(".claude.json", {
    mcpServers: {
      haft: { command: "node", args: ["/opt/haft/bin/haft.js", "mcp", "--folder", "/x"] },
      mine: { command: "npx", args: ["-y", "haft@1.0.0", "mcp"] },
      same: { command: "s" },
    },
  });
  own(".cursor/mcp.json", {
    mcpServers: { haft: { url: "http://127.0.0.1:4280/mcp" }, same: { command: "s" } },
  });
  project(".mcp.json", {
    mcpServers: { same: { command: "s" }, other: { command: "/opt/haft", args: ["x"] } },
  });
  expect((await findClientServers(places)).servers.map(({ server }) => server.name)).toEqual([
    "same",
    "other",
  ]);
});

test("findClientServers() takes no long time for a file that was made to take one", async () => {
  const { places, project } = createPlaces();
  project(".mcp.json", `{"a":[${"/*".repeat(100_000)}${",/**/".repeat(50_000)}${'"'.repeat(100_001)}`);
  expect((await findClientServers(places)).passedOver).toMatchObject([{ reason: "it is no JSON" }]);
});
