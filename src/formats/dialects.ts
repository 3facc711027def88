/** What one kind of model API takes in a tool's parameters. */
export interface Dialect {
  /** Limits and remarks that may stay where they are; all others become words. */
  readonly keeps: ReadonlySet<string>;
  /** Objects whose keys are not listed, and values of any type. Where not, they travel as JSON text. */
  readonly takesOpenValues: boolean;
  /** Every object is closed, and every key required: what is optional may be null instead. */
  readonly isStrict: boolean;
  /** How null is allowed: as one of the types, or by a flag. */
  readonly nullBy: "type" | "flag";
  /** Several types in one `type`, tuples and `oneOf`. */
  readonly isFullSchema: boolean;
  /** Constants may be strings only. */
  readonly stringEnumsOnly: boolean;
  /** Nothing may stand beside an `anyOf`. */
  readonly isUnionAlone: boolean;
  readonly formats: ReadonlySet<string> | undefined;
  /** What a key may look like; others are renamed, and named back in the arguments. */
  readonly key: RegExp | undefined;
  /** Objects inside objects. */
  readonly maxDepth: number;
}

const limits = [
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
];
const remarks = ["default", "examples", "deprecated"];

const openai: Dialect = {
  keeps: new Set([...limits, "uniqueItems", "minProperties", "maxProperties", ...remarks]),
  takesOpenValues: true,
  isStrict: false,
  nullBy: "type",
  isFullSchema: false,
  stringEnumsOnly: false,
  isUnionAlone: false,
  formats: undefined,
  key: undefined,
  maxDepth: 24,
};

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const openaiStrict: Dialect = {
  ...openai,
  keeps: new Set(limits.filter((keyword) => !/^(?:min|max)Length$/.test(keyword))),
  takesOpenValues: false,
  isStrict: true,
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
  // Ten levels are allowed, and an alternative may count as one.
  maxDepth: 8,
};

const anthropic: Dialect = {
  ...openai,
  keeps: new Set([
    ...limits,
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "not",
    "if",
    "then",
    "else",
    "contentEncoding",
    "contentMediaType",
    ...remarks,
  ]),
  isFullSchema: true,
  key: /^[A-Za-z0-9_.-]{1,64}$/,
};

/** https://ai.google.dev/api/caching#Schema */
const gemini: Dialect = {
  ...openai,
  keeps: new Set(["format", "minimum", "maximum", "minItems", "maxItems"]),
  takesOpenValues: false,
  nullBy: "flag",
  stringEnumsOnly: true,
  isUnionAlone: true,
  formats: new Set(["date-time", "int32", "int64", "float", "double"]),
  key: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};

export const dialects: Readonly<Record<"openai" | "openai-strict" | "anthropic" | "gemini", Dialect>> = {
  openai,
  "openai-strict": openaiStrict,
  anthropic,
  gemini,
};
