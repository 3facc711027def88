import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Endpoint, listClientConfigs } from "./client-config.ts";

const endpoint: Endpoint = {
  url: "http://127.0.0.1:4280/mcp",
  tokenFile: "/home/me/.haft/token",
  command: ["/usr/bin/node", "/opt/haft/main.js", "mcp", "--folder", "/home/me/project"],
};

test("listClientConfigs() has a form for every client, and each file's text is its content", () => {
  const configs = listClientConfigs(endpoint);
  expect(configs.map(({ id }) => id)).toEqual([
    "claude-code",
    "codex",
    "gemini",
    "vscode",
    "cursor",
    "claude-desktop",
    "opencode",
    "zed",
    "windsurf",
  ]);
  const forms = configs.flatMap((config) => config.forms);
  const files = forms.filter((form) => form.content !== undefined);
  expect(files.map(({ text }) => JSON.parse(text) as unknown)).toEqual(files.map(({ content }) => content));
  expect(configs.filter((config) => !config.forms.some(({ transport }) => transport === "stdio"))).toEqual(
    [],
  );
});

test("listClientConfigs() writes the token only where it is given, and where nothing can read it", () => {
  const without = JSON.stringify(listClientConfigs(endpoint));
  expect(without).toContain("Bearer ${env:HAFT_TOKEN}");
  const texts = listClientConfigs({ ...endpoint, token: "s3cret" })
    .flatMap(({ id, forms }) => forms.map(({ transport, text }) => ({ name: `${id} ${transport}`, text })))
    .filter(({ text }) => text.includes("s3cret"));
  expect(texts.map(({ name }) => name)).toEqual(["cursor http", "windsurf http"]);
});

test("listClientConfigs() gives shell lines that a shell reads as they are meant", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-clients-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "it's a $HOME");
  mkdirSync(home);
  writeFileSync(join(home, "token"), "s3cret\n");
  const [claude] = listClientConfigs({
    ...endpoint,
    tokenFile: join(home, "token"),
    command: ["/usr/bin/node", "a b.js", "mcp"],
  });
  const print = `claude() { printf '%s\\n' "$@"; }`;
  const said = (claude?.forms ?? []).map(({ text }) =>
    spawnSync("sh", ["-c", `${print}\n${text}`], { encoding: "utf8" })
      .stdout.trimEnd()
      .split("\n"),
  );
  expect(said).toEqual([
    ["mcp", "add", "--transport", "http", "haft", endpoint.url, "--header", "Authorization: Bearer s3cret"],
    ["mcp", "add", "haft", "--", "/usr/bin/node", "a b.js", "mcp"],
  ]);
});

test("listClientConfigs() gives a client its own endpoint, and any other name the two usual forms", () => {
  const own = (name: string): Endpoint => ({
    ...endpoint,
    url: `${endpoint.url}/${name}`,
    command: [...endpoint.command, "--client", name],
  });
  const configs = listClientConfigs(endpoint, new Map(["cursor", "ci"].map((name) => [name, own(name)])));
  const textOf = (id: string) => JSON.stringify(configs.find((config) => config.id === id));
  expect(textOf("cursor")).toContain("/mcp/cursor");
  expect(textOf("zed")).not.toContain("--client");
  expect(configs.at(-1)).toMatchObject({
    client: "ci",
    forms: [
      { transport: "http", content: { mcpServers: { haft: { url: "http://127.0.0.1:4280/mcp/ci" } } } },
      {
        transport: "stdio",
        content: { mcpServers: { haft: { args: expect.arrayContaining(["--client", "ci"]) } } },
      },
    ],
  });
});
