import { fitsShape, isOfType, type JsonSchema, listTypes } from "../base/index.ts";
import { refinesObject, splitUnion } from "./alternatives.ts";
import type { Dialect } from "./dialects.ts";
import type { Schema } from "./expand.ts";
import { isForeign, listConstants, plainTypes } from "./implied-types.ts";
import { onlyRemarks, withoutRemarks } from "./keywords.ts";
import { mergeAllOf } from "./merge.ts";
import { readJson } from "./restore.ts";
import { rewriteArray } from "./rewrite-array.ts";
import { rewriteObject } from "./rewrite-object.ts";
import { rewriteUnion } from "./rewrite-union.ts";
import type { Description, Rewriter, Rewritten } from "./rewriter.ts";
import { describeEnum, describeKeyword, splitWords } from "./words.ts";

// One API counts the constants of a whole definition, and their characters; more no model weighs anyway.
const maxConstants = 1_000;
const maxConstantChars = 15_000;
// A union is merged into each of its branches, which can multiply what was a small schema.
const maxParts = 5_000;

/** Rewrites the parts of one tool's parameters: they have no references and share one budget. */
export class SchemaRewriter implements Rewriter {
  readonly dialect: Dialect;
  #constants = 0;
  #constantChars = 0;
  #parts = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  rewrite(schema: Schema, depth: number): Rewritten {
    if (typeof schema === "boolean") return this.open(schema ? {} : { not: {} });
    if (++this.#parts > maxParts) return this.open({ description: "Not shown further" });
    const split = splitUnion(mergeAllOf(schema));
    const { rest, branches, keyword, isNullable } = split;
    let rewritten: Rewritten;
    if (branches.length === 0) rewritten = this.#plain(rest, depth);
    else if (refinesObject(split)) rewritten = rewriteObject(this, { ...rest, [keyword]: branches }, depth);
    else rewritten = rewriteUnion(this, split, depth);
    return isNullable ? this.withNull(rewritten) : rewritten;
  }

  /** A schema without union. */
  #plain(schema: JsonSchema, depth: number): Rewritten {
    const types = plainTypes(schema);
    if (types === undefined) return this.open(schema);
    const named = types.filter((type) => type !== "null");
    const [type = "null"] = named;
    const rewritten =
      named.length > 1 ? this.#severalTypes(schema, named, depth) : this.#oneType(schema, type, depth);
    return 0 < named.length && named.length < types.length ? this.withNull(rewritten) : rewritten;
  }

  #oneType(schema: JsonSchema, type: string, depth: number): Rewritten {
    if (type === "object") return rewriteObject(this, schema, depth);
    if (type === "array") return rewriteArray(this, schema, depth);
    if (type === "null" && this.dialect.nullBy === "flag") return this.open({ ...schema, type });
    return this.#scalar(schema, [type]);
  }

  #severalTypes(schema: JsonSchema, types: readonly string[], depth: number): Rewritten {
    const areScalar = !types.includes("object") && !types.includes("array");
    if (areScalar && this.dialect.nullBy === "type") return this.#scalar(schema, types);
    const branches = types.map((type) => ofType(schema, type));
    return rewriteUnion(
      this,
      { rest: onlyRemarks(schema), branches, keyword: "anyOf", isNullable: false },
      depth,
    );
  }

  #scalar(schema: JsonSchema, types: readonly string[]): Rewritten {
    const constants = listConstants(schema)?.filter((value) => isOfType(value, types));
    const isKept = constants !== undefined && this.#keepsConstants(constants, types);
    const extra = constants === undefined || isKept ? [] : [describeEnum(constants)];
    return {
      schema: {
        type: types.length === 1 ? types[0] : types,
        ...this.describe(schema, { types, extra }),
        ...(isKept && { enum: constants }),
        ...this.keep(schema, types),
      },
    };
  }

  #keepsConstants(constants: readonly unknown[], types: readonly string[]): boolean {
    if (this.dialect.stringEnumsOnly && (types[0] !== "string" || constants.includes(""))) return false;
    const chars = this.#constantChars + JSON.stringify(constants).length;
    const count = this.#constants + constants.length;
    if (constants.length === 0 || count > maxConstants || chars > maxConstantChars) return false;
    this.#constants = count;
    this.#constantChars = chars;
    return true;
  }

  open(schema: JsonSchema): Rewritten {
    const types = listTypes(schema);
    if (this.dialect.takesOpenValues) return { schema: this.#openAsItIs(schema, types) };
    const initial = describeKeyword("default", schema);
    const extra = [
      `JSON text: ${splitWords(withoutRemarks(schema))}`,
      ...(initial === undefined ? [] : [initial]),
    ];
    return {
      schema: { type: "string", ...this.describe(schema, { extra, isWhole: true }) },
      restore: (value) => readJson(value, types),
      isJsonText: true,
    };
  }

  #openAsItIs(schema: JsonSchema, types: readonly string[] | undefined): JsonSchema {
    const { anyOf, oneOf, type } = schema;
    const extra = anyOf === undefined && oneOf === undefined ? [] : [splitWords({ anyOf, oneOf })];
    const { oneOf: _, ...plain } = schema;
    return {
      ...(types !== undefined && { type }),
      ...this.describe(plain, { types, extra }),
      ...this.keep(plain, types),
    };
  }

  describe(schema: JsonSchema, options: Description = {}): { description?: string } {
    const { extra = [], isWhole = false } = options;
    const said = schema["description"] ?? schema["title"];
    const dropped = isWhole
      ? []
      : Object.keys(schema).filter((keyword) => !this.#isSaid(keyword, schema, options));
    const words = [...extra, ...dropped.flatMap((keyword) => describeKeyword(keyword, schema) ?? [])].join(
      "; ",
    );
    if (typeof said !== "string") return words === "" ? {} : { description: words };
    return { description: words === "" ? said : `${said} (${words})` };
  }

  #isSaid(keyword: string, schema: JsonSchema, { types, keepsNothing = false }: Description): boolean {
    return (
      structural.has(keyword) || isForeign(keyword, types) || (!keepsNothing && this.#keeps(keyword, schema))
    );
  }

  #keeps(keyword: string, schema: JsonSchema): boolean {
    const { keeps, formats, isStrict } = this.dialect;
    if (!keeps.has(keyword)) return false;
    if (keyword === "format") return formats === undefined || formats.has(String(schema["format"]));
    return keyword !== "pattern" || !isStrict || isPlainPattern(String(schema["pattern"]));
  }

  keep(schema: JsonSchema, types?: readonly string[]): JsonSchema {
    const kept = Object.entries(schema).filter(
      ([keyword]) => this.#keeps(keyword, schema) && !isForeign(keyword, types),
    );
    return Object.fromEntries(kept);
  }

  withRemarks(schema: JsonSchema, remarks: JsonSchema): JsonSchema {
    const { description: outer } = this.describe(remarks);
    if (outer === undefined) return schema;
    const [head, ...tail] = (schema["anyOf"] ?? []) as JsonSchema[];
    if (head !== undefined && this.dialect.isUnionAlone)
      return { anyOf: [this.withRemarks(head, remarks), ...tail] };
    const { description: inner, ...rest } = schema;
    const description = typeof inner === "string" && inner !== outer ? `${outer} (${inner})` : outer;
    return { ...rest, description };
  }

  withNull(rewritten: Rewritten): Rewritten {
    return { ...rewritten, schema: this.#nullable(rewritten.schema) };
  }

  #nullable(schema: JsonSchema): JsonSchema {
    const { type, enum: constants } = schema;
    const union = Array.isArray(schema["anyOf"])
      ? "anyOf"
      : Array.isArray(schema["oneOf"])
        ? "oneOf"
        : undefined;
    const branches = union === undefined ? [] : (schema[union] as JsonSchema[]);
    if (this.dialect.nullBy === "flag") {
      return union === undefined
        ? { ...schema, nullable: true }
        : { anyOf: branches.map((branch) => this.#nullable(branch)) };
    }
    if (fitsShape(null, schema, {})) return schema;
    if (union !== undefined) return { ...schema, [union]: [...branches, { type: "null" }] };
    return {
      ...schema,
      type: [type, "null"].flat(),
      ...(Array.isArray(constants) && { enum: [...(constants as unknown[]), null] }),
    };
  }
}

/** Said by the form of the rewritten schema itself, or by the words for it. */
const structural: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "prefixItems",
  "description",
  "title",
]);

/** The part of a schema of several types that is about one of them. */
function ofType(schema: JsonSchema, type: string): JsonSchema {
  const own = Object.entries(withoutRemarks(schema)).filter(
    ([keyword]) => !isForeign(keyword, [type]) && keyword !== "const",
  );
  const constants = listConstants(schema)?.filter((value) => isOfType(value, [type]));
  return { ...Object.fromEntries(own), type, ...(constants !== undefined && { enum: constants }) };
}

/** Without look-around, back-references and named groups, which the API's own grammar does not know. */
function isPlainPattern(pattern: string): boolean {
  return !/\(\?[=!<]|\\[1-9k]/.test(pattern);
}
