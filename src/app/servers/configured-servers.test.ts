import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Home } from "../home.ts";
import { configuredServers } from "./configured-servers.ts";

function createPlace() {
  const root = mkdtempSync(join(tmpdir(), "haft-configured-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = new Home(join(root, "home"));
  const folder = join(root, "project");
  mkdirSync(folder);
  const file = join(folder, "haft.config.yml");
  return {
    home,
    folder,
    own: (text: string) => home.write("config.yml", text),
    project: (text: string) => writeFileSync(file, text),
    trust: (text: string) => home.trust(file, text),
  };
}

function brief({ servers }: Awaited<ReturnType<typeof configuredServers>>): string[] {
  return servers.map(({ server, place, state }) => `${place} ${server.name}: ${state}`);
}

test("configuredServers() says of each server whether it is used, and why not", async () => {
  const { home, folder, own, project, trust } = createPlace();
  expect(brief(await configuredServers(home, folder))).toEqual([]);
  own("mcpServers:\n  a: { command: a }\n  b: { command: b, enabled: false }\n");
  const text = "mcpServers:\n  a: { command: other }\n  c: { command: c, disabled: true }\n";
  project(text);
  expect(brief(await configuredServers(home, folder))).toEqual([
    "project a: untrusted",
    "project c: untrusted",
    "user a: enabled",
    "user b: disabled",
  ]);
  trust(text);
  expect(brief(await configuredServers(home, folder))).toEqual([
    "project a: enabled",
    "project c: disabled",
    "user a: shadowed",
    "user b: disabled",
  ]);
});

test("configuredServers() goes by what variables stand for, and gives back their names", async () => {
  const { home, folder, own } = createPlace();
  vi.stubEnv("MCP_HOST", "a.example");
  vi.stubEnv("MCP_VALUE", "canary-value");
  onTestFinished(() => void vi.unstubAllEnvs());
  own(
    'mcpServers:\n  a: { url: "https://${MCP_HOST}/mcp", headers: { X: "${MCP_VALUE}" } }\n  b: { url: "ftp://b", type: http }\n',
  );
  const found = await configuredServers(home, folder);
  expect(found.servers).toMatchObject([
    { server: { url: "https://${MCP_HOST}/mcp", headers: { X: "${MCP_VALUE}" } } },
  ]);
  expect(found.faults).toMatchObject([{ where: "b", file: home.config }]);
  expect(JSON.stringify(found)).not.toContain("canary-value");
});
