import type { ModelFacts } from "../../model/index.ts";

/** What is known of a model beside how it is reached. */
export type KnownFacts = Pick<ModelFacts, "contextTokens" | "maxOutputTokens" | "images">;

/**
 * Models known by name, more specific patterns first. A limit that is too small causes an early summary, one that is
 * too large a refused request. The configuration takes precedence.
 */
const known: readonly (readonly [pattern: RegExp, facts: KnownFacts])[] = [
  [
    /(^|[/.])claude-(3-|3\.)?(haiku|instant|2)/,
    { contextTokens: 200_000, maxOutputTokens: 4096, images: true },
  ],
  [
    /(^|[/.])claude-opus-4(-[01])?(-\d{8})?$/,
    { contextTokens: 200_000, maxOutputTokens: 32_000, images: true },
  ],
  [/(^|[/.])claude-/, { contextTokens: 200_000, maxOutputTokens: 64_000, images: true }],
  [/(^|\/)gpt-5/, { contextTokens: 400_000, maxOutputTokens: 128_000, images: true }],
  [/(^|\/)gpt-4\.1/, { contextTokens: 1_047_576, maxOutputTokens: 32_768, images: true }],
  [/(^|\/)gpt-4o/, { contextTokens: 128_000, maxOutputTokens: 16_384, images: true }],
  [/(^|\/)o[134](-|$)/, { contextTokens: 200_000, maxOutputTokens: 100_000, images: true }],
  [/(^|\/)gemini-(2\.5|3)/, { contextTokens: 1_048_576, maxOutputTokens: 65_536, images: true }],
];

/** What is known of a model by its name; undefined of any other. */
export function findKnownFacts(model: string): KnownFacts | undefined {
  return known.find(([pattern]) => pattern.test(model))?.[1];
}
