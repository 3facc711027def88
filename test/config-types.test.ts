import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderConfigTypes } from "../scripts/config-types.ts";
import { configSchema } from "../src/app/index.ts";

test("the types of a configuration are those of its schema (npm run config-schema)", () => {
  expect(readFileSync("src/app/config/config-types.ts", "utf8")).toBe(renderConfigTypes(configSchema));
});

test("a part of the schema that has a named type and is gone stops the rendering", () => {
  expect(() => renderConfigTypes({ type: "object", properties: {} })).toThrow(
    /The schema has no tools\.profile,.*correct scripts\/config-types\.ts/,
  );
});
