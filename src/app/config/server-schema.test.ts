import { expect, test } from "vitest";
import type { JsonSchema } from "../../kernel/index.ts";
import { readServers } from "../../mcp/index.ts";
import { serversSchema } from "./server-schema.ts";

const [byName] = serversSchema["anyOf"] as readonly [{ additionalProperties: { properties: JsonSchema } }];
const fields = Object.keys(byName.additionalProperties.properties);

test.for(fields)("readServers() refuses what the schema refuses of %s, as both know the field", (field) => {
  // A list in a list is right for none of them.
  const { servers, problems } = readServers({ s: { command: "x", [field]: [[]] } });
  expect(servers).toEqual([]);
  expect(problems).toHaveLength(1);
});
