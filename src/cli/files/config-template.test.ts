import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../app/config/config.ts";
import { withoutServer, withServer } from "../../app/config/edit-config.ts";
import { configSchema } from "../../app/index.ts";
import type { JsonSchema } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { renderConfigTemplate } from "./config-template.ts";

const template = renderConfigTemplate({ schema: "./haft.config.schema.json", profile: "coding" });

/** The template with every example switched on. */
function uncommented(): unknown {
  return parse(template.replace(/^( *)# ?((?: *- )?(?: *)[a-zA-Z]+:(?: .*)?)$/gm, "$1$2"));
}

test("renderConfigTemplate() gives a configuration that can be used as it stands", async () => {
  expect(await compileJsonSchema(configSchema)(parse(template))).toMatchObject({ valid: true });
});

test("renderConfigTemplate() gives only examples that can be used", async () => {
  const value = uncommented();
  expect(await compileJsonSchema(configSchema)(value)).toMatchObject({ valid: true });
  expect(value).toMatchObject({
    permissions: [{ decision: "allow" }, { decision: "deny" }],
    serve: { port: 4280 },
  });
});

test("renderConfigTemplate() mentions every part of the configuration", () => {
  const { properties } = configSchema as { properties: Record<string, JsonSchema> };
  const value = uncommented() as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(Object.keys(properties));
  const { properties: toolProperties } = properties["tools"] as { properties: Record<string, JsonSchema> };
  // Elsewhere servers stand below tools: here they have a part of their own.
  const { mcpServers: _, ...own } = toolProperties;
  expect(Object.keys(value["tools"] as object)).toEqual(Object.keys(own));
});

test("renderConfigTemplate() starts with the line that editors look for", () => {
  expect(template.split("\n")[0]).toBe("# yaml-language-server: $schema=./haft.config.schema.json");
});

test("renderConfigTemplate() gives a file to which a server is added, and from which it is taken without a trace", async () => {
  const server = {
    name: "files",
    command: "npx",
    args: ["-y", "@x/files", "null", " a", "#b"],
    env: { A: "1" },
  };
  const added = await withServer(template, server, "config.yml");
  const { name, ...entry } = server;
  const { mcpServers } = await parseConfig(added, "config.yml", () => undefined);
  expect(Object.entries(mcpServers ?? {}).at(-1)).toEqual([name, entry]);
  for (const line of template.split("\n").filter((one) => one.includes("#"))) expect(added).toContain(line);
  expect(await withoutServer(added, name, "config.yml")).toBe(template);
});
