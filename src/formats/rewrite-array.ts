import { type JsonSchema, readList } from "../base/index.ts";
import type { Schema } from "./expand.ts";
import { listConstants } from "./implied-types.ts";
import { restoreItems } from "./restore.ts";
import type { Rewriter, Rewritten } from "./rewriter.ts";
import { describeEnum, describeKeyword } from "./words.ts";

export function rewriteArray(rewriter: Rewriter, schema: JsonSchema, depth: number): Rewritten {
  const tuple = readList(schema, "prefixItems") as Schema[];
  const items = (schema["items"] ?? true) as Schema;
  const first = tuple.map((item) => rewriter.rewrite(item, depth + 1));
  const later = items === false ? undefined : rewriter.rewrite(items, depth + 1);
  const constants = listConstants(schema);
  const { isFullSchema } = rewriter.dialect;
  const extra = [
    ...(constants === undefined ? [] : [describeEnum(constants)]),
    ...(tuple.length > 0 && !isFullSchema ? [describeKeyword("prefixItems", schema) ?? ""] : []),
  ];
  const form = isFullSchema
    ? {
        ...(tuple.length > 0 && { prefixItems: first.map((item) => item.schema) }),
        items: later?.schema ?? false,
      }
    : { items: anyItem(rewriter, tuple, items, depth).schema };
  return {
    schema: {
      type: "array",
      ...rewriter.describe(schema, { types: ["array"], extra }),
      ...form,
      ...rewriter.keep(schema, ["array"]),
      ...(items === false &&
        !isFullSchema && { maxItems: Math.min(tuple.length, Number(schema["maxItems"] ?? tuple.length)) }),
    },
    restore: restoreItems(
      first.map((item) => item.restore),
      later?.restore,
    ),
  };
}

/** What any item may be, for an API that wants one schema for all of them. */
function anyItem(rewriter: Rewriter, tuple: readonly Schema[], items: Schema, depth: number): Rewritten {
  if (tuple.length === 0) return rewriter.rewrite(items, depth + 1);
  return rewriter.rewrite({ anyOf: items === false ? tuple : [...tuple, items] }, depth + 1);
}
