import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "./config/load-config.ts";
import { Home } from "./home.ts";
import { KeptSeenFiles } from "./kept-seen-files.ts";
import { LazyStore } from "./lazy-store.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-app-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function temporaryHome(): Home {
  return new Home(join(temporaryFolder(), "home"));
}

test("Home.token() makes a token at its first use, keeps it, and shows it to its user alone", () => {
  const home = temporaryHome();
  expect(home.keptToken()).toBeUndefined();
  const token = home.token();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect([home.token(), new Home(home.folder).token()]).toEqual([token, token]);
  expect(statSync(join(home.folder, "token")).mode & 0o777).toBe(0o600);
  expect(statSync(home.folder).mode & 0o777).toBe(0o700);
});

test("Home makes one token, whichever of two processes that find none is faster", () => {
  const home = temporaryHome();
  const made = [home.token(), home.ownerToken(), home.stateKey()];
  /** A home as it is in a process that looked before the others had written. */
  class EarlyLook extends Home {
    #looked = new Set<string>();
    override read(name: string): string | undefined {
      if (this.#looked.has(name)) return super.read(name);
      this.#looked.add(name);
      return undefined;
    }
  }
  const slower = new EarlyLook(home.folder);
  expect([slower.token(), slower.ownerToken(), slower.stateKey()]).toEqual(made);
  expect([home.token(), home.ownerToken(), home.stateKey()]).toEqual(made);
  expect(readdirSync(home.folder).sort()).toEqual(["mcp-state.key", "owner-token", "token"]);
});

test("Home.token() takes the place of a file that holds no token", () => {
  const home = temporaryHome();
  home.write("token", "short");
  const token = home.token();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(home.keptToken()).toBe(token);
});

test("Home keeps the owner's token and the key of the MCP server apart from the token that clients hold", () => {
  const home = temporaryHome();
  expect([home.keptOwnerToken(), home.keptStateKey()]).toEqual([undefined, undefined]);
  const made = [home.token(), home.ownerToken(), home.stateKey()];
  expect(new Set(made).size).toBe(3);
  const again = new Home(home.folder);
  expect([again.token(), again.ownerToken(), again.stateKey()]).toEqual(made);
  for (const name of ["owner-token", "mcp-state.key"]) {
    expect(statSync(join(home.folder, name)).mode & 0o777).toBe(0o600);
  }
});

test("Home.ownerToken() is another one where somebody has copied the token of the clients into its file", () => {
  const home = temporaryHome();
  home.write("owner-token", home.token());
  expect(home.keptOwnerToken()).toBeUndefined();
  expect(home.ownerToken()).not.toBe(home.token());
  expect(home.keptOwnerToken()).toBe(home.ownerToken());
});

test("Home.write() leaves no draft behind, and says what to do where it can't write", () => {
  const home = temporaryHome();
  home.write("seen.json", "{}");
  expect(readdirSync(home.folder)).toEqual(["seen.json"]);
  const blocked = new Home(join(home.folder, "seen.json", "below-a-file"));
  expect(() => blocked.token()).toThrow(/Cannot write .*HAFT_HOME/);
});

test("loadConfig() takes only the stricter rules of a file that is not trusted, and says so", async () => {
  const home = temporaryHome();
  const folder = temporaryFolder();
  const file = join(folder, "haft.config.yml");
  const text =
    "tools: { allowedPaths: ['/'] }\npermissions: [{ decision: allow, tool: '*' }, { decision: deny, tool: bash }]\n";
  writeFileSync(file, text);
  const untrusted = await loadConfig(home, folder, { variable: () => undefined });
  const permissions = [{ decision: "deny", tool: "bash" }];
  expect(untrusted).toEqual({
    config: {
      tools: {},
      serve: {},
      store: {},
      sandbox: {},
      snapshots: {},
      memory: {},
      approvals: {},
      permissions,
    },
    own: {},
    project: { permissions },
    files: [file],
    trusted: false,
    warnings: [expect.stringContaining("haft trust")],
  });
  expect(await loadConfig(home, folder, { variable: () => undefined, asTrusted: true })).toMatchObject({
    config: { tools: { allowedPaths: ["/"] } },
    trusted: true,
  });
  home.trust(file, text);
  expect(await loadConfig(home, folder, { variable: () => undefined })).toMatchObject({
    config: { tools: { allowedPaths: ["/"] } },
    trusted: true,
    warnings: [],
  });
});

test("loadConfig() asks for trust again once one byte of a trusted file has changed", async () => {
  const home = temporaryHome();
  const folder = temporaryFolder();
  const file = join(folder, "haft.config.yml");
  const text = "permissions: [{ decision: allow, tool: bash }]\n";
  writeFileSync(file, text);
  home.trust(file, text);
  writeFileSync(file, text.replace("bash", "bas?"));
  expect(await loadConfig(home, folder, { variable: () => undefined })).toMatchObject({
    config: { permissions: [] },
    trusted: false,
  });
});

test("loadConfig() trusts the user's own file, wherever the call is made", async () => {
  const home = temporaryHome();
  home.write("config.yml", "permissions: [{ decision: allow, tool: bash }]\n");
  expect(await loadConfig(home, temporaryFolder(), { variable: () => undefined })).toMatchObject({
    config: { permissions: [{ decision: "allow", tool: "bash" }] },
    warnings: [],
  });
});

test("KeptSeenFiles hands what was read from one process to the next", () => {
  const home = temporaryHome();
  const first = new KeptSeenFiles(home);
  first.set("a", { version: "1", hash: "h" });
  expect(new KeptSeenFiles(home).get("a")).toBeUndefined();
  first.close();
  expect(new KeptSeenFiles(home).get("a")).toEqual({ version: "1", hash: "h" });
});

test("KeptSeenFiles takes a damaged file for an empty one", () => {
  const home = temporaryHome();
  home.write("seen.json", '{"a":{"version":5},"b":');
  expect(new KeptSeenFiles(home).get("a")).toBeUndefined();
});

test("LazyStore opens nothing before it is used, and tries again after it could not open", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "sub", "haft.db");
  const store = new LazyStore({ path });
  expect(existsSync(path)).toBe(false);
  writeFileSync(join(folder, "sub"), "in the way");
  await expect(store.open()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  rmSync(join(folder, "sub"));
  await store.open();
  expect(existsSync(path)).toBe(true);
  await store.close();
});
