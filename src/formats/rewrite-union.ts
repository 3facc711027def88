import { canonicalJson, type JsonSchema } from "../base/index.ts";
import type { Split } from "./alternatives.ts";
import { plainTypes } from "./implied-types.ts";
import { onlyRemarks, withoutRemarks } from "./keywords.ts";
import { mergeSchemas } from "./merge.ts";
import { restoreByOption } from "./restore.ts";
import type { Rewriter, Rewritten } from "./rewriter.ts";

export function rewriteUnion(
  rewriter: Rewriter,
  { rest, branches, keyword }: Split,
  depth: number,
): Rewritten {
  const remarks = onlyRemarks(rest);
  const limits = withoutRemarks(rest);
  const whole = branches.map((branch) => mergeSchemas(branch, limits));
  const options = whole.map((original) => ({ original, ...rewriter.rewrite(original, depth) }));
  const isText = options.filter((option) => option.isJsonText).length > 1;
  // Two texts of JSON could not be told apart, and any value takes in all others.
  if (isText || whole.some(isAnything)) return rewriter.open({ ...rest, [keyword]: branches });
  const restore = restoreByOption(options);
  const schemas = [...new Map(options.map(({ schema }) => [canonicalJson(schema), schema])).values()];
  const [head, ...tail] = schemas as [JsonSchema, ...JsonSchema[]];
  if (tail.length === 0) return { schema: rewriter.withRemarks(head, remarks), restore };
  if (rewriter.dialect.isUnionAlone)
    return { schema: { anyOf: [rewriter.withRemarks(head, remarks), ...tail] }, restore };
  const name = rewriter.dialect.isFullSchema ? keyword : "anyOf";
  return { schema: { ...rewriter.describe(remarks), [name]: schemas, ...rewriter.keep(remarks) }, restore };
}

function isAnything(schema: JsonSchema): boolean {
  return plainTypes(schema) === undefined && !["anyOf", "oneOf"].some((keyword) => keyword in schema);
}
