import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientEntries } from "../connect/index.ts";
import { listClientConfigs } from "./config.ts";
import type { Endpoint } from "./form.ts";

const endpoint: Endpoint = {
  url: "http://127.0.0.1:4280/mcp",
  tokenFile: "/home/me/.haft/token",
  command: ["/usr/bin/node", "/opt/haft/main.js", "mcp"],
  folder: "/home/me/project",
};

test("listClientConfigs() has a form for every client, and each file of JSON says its content", async () => {
  const configs = await listClientConfigs(endpoint);
  expect(configs.map(({ id }) => id)).toEqual([...clientEntries.map(({ id }) => id), "json"]);
  const forms = configs.flatMap(({ forms, ownTools, ownQuestion }) => [
    ...forms,
    ...(ownTools?.files ?? []),
    ...(ownQuestion?.files ?? []),
  ]);
  const files = forms.filter((form) => form.content !== undefined);
  expect(files.map(({ text }) => JSON.parse(text) as unknown)).toEqual(files.map(({ content }) => content));
  expect(configs.filter((config) => !config.forms.some(({ transport }) => transport === "stdio"))).toEqual(
    [],
  );
});

test("every client but the unknown says how its own tools and its own question are switched off, or that they can't be", async () => {
  const configs = (await listClientConfigs(endpoint)).filter(({ id }) => id !== "json");
  const silent = configs.flatMap(({ id, ownTools, ownQuestion }) =>
    [ownTools, ownQuestion].some(
      (half) => half === undefined || (half.files.length === 0 && half.note === undefined),
    )
      ? [id]
      : [],
  );
  expect(silent).toEqual([]);
  const notes = configs.flatMap(({ ownTools, ownQuestion }) => [
    ownTools?.note ?? "",
    ownQuestion?.note ?? "",
  ]);
  expect(notes.filter((note) => note !== "" && !note.endsWith("."))).toEqual([]);
});

test("a client works in the folder in which it starts haft; one that has none is given the project's", async () => {
  const configs = await listClientConfigs(endpoint);
  const naming = configs.filter(({ forms }) => forms.some(({ text }) => text.includes("--folder")));
  expect(naming.map(({ id }) => id)).toEqual(["claude-desktop", "lmstudio"]);
});

test("listClientConfigs() writes the token only where it is given, and where nothing can read it", async () => {
  const without = JSON.stringify(await listClientConfigs(endpoint));
  expect(without).toContain("Bearer ${env:HAFT_TOKEN}");
  const texts = (await listClientConfigs({ ...endpoint, token: "s3cret" }))
    .flatMap(({ id, forms }) => forms.map(({ transport, text }) => ({ name: `${id} ${transport}`, text })))
    .filter(({ text }) => text.includes("s3cret"));
  expect(texts.map(({ name }) => name)).toEqual(["cursor http", "windsurf http", "json http"]);
});

test("listClientConfigs() gives shell lines that a shell reads as they are meant", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-clients-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "it's a $HOME");
  mkdirSync(home);
  writeFileSync(join(home, "token"), "s3cret\n");
  const [claude] = await listClientConfigs({
    ...endpoint,
    tokenFile: join(home, "token"),
    command: ["/usr/bin/node", "a b.js", "mcp"],
  });
  const print = `claude() { printf '%s\\n' "$@"; }`;
  const said = (claude?.forms ?? [])
    .filter(({ where }) => where === "in a shell")
    .map(({ text }) =>
      spawnSync("sh", ["-c", `${print}\n${text}`], { encoding: "utf8" })
        .stdout.trimEnd()
        .split("\n"),
    );
  expect(said).toEqual([
    [
      "mcp",
      "add",
      "--scope",
      "user",
      "--transport",
      "http",
      "haft",
      endpoint.url,
      "--header",
      "Authorization: Bearer s3cret",
    ],
    ["mcp", "add", "--scope", "user", "haft", "--", "/usr/bin/node", "a b.js", "mcp"],
  ]);
});

test("listClientConfigs() gives a client its own endpoint, and any other name the two usual forms", async () => {
  const own = (name: string): Endpoint => ({
    ...endpoint,
    url: `${endpoint.url}/${name}`,
    command: [...endpoint.command, "--client", name],
  });
  const configs = await listClientConfigs(
    endpoint,
    new Map(["cursor", "ci"].map((name) => [name, own(name)])),
  );
  const readText = (id: string) => JSON.stringify(configs.find((config) => config.id === id));
  expect(readText("cursor")).toContain("/mcp/cursor");
  expect(readText("zed")).not.toContain("--client");
  expect(configs.at(-2)).toMatchObject({
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
