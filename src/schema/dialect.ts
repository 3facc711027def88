import type { JsonSchema } from "../kernel/index.ts";
import { SchemaError } from "./errors.ts";

export type Dialect = "2020-12" | "2019-09" | "draft-07";

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/schema", "2020-12"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  // Draft-07 only added to it.
  ["json-schema.org/draft-06/schema", "draft-07"],
]);

/** The dialect that `$schema` names; 2020-12 where it is absent. */
export function findDialect(schema: JsonSchema): Dialect {
  const { $schema } = schema;
  if ($schema === undefined) return "2020-12";
  const dialect =
    typeof $schema === "string" ? dialects.get($schema.replace(/^https?:\/\/|#$/g, "")) : undefined;
  if (dialect !== undefined) return dialect;
  throw new SchemaError(
    "SCHEMA_DIALECT",
    `Cannot compile the schema: its dialect ${JSON.stringify($schema)} is not known; use 2020-12 or draft-07`,
  );
}
