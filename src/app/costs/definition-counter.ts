import type { GeminiTool, LLMTarget, McpTool, OpenAITool, TargetTool } from "../../kernel/index.ts";
import type { TokenCounter } from "../../search/index.ts";
import { geminiTexts } from "./gemini-form.ts";
import { loadO200kCounter } from "./o200k-counter.ts";
import { openAIForm, openAIFrame } from "./openai-form.ts";

type Definition = TargetTool["definition"];

/** Counts the definitions of one target. */
export interface DefinitionCounter {
  readonly target: LLMTarget;
  readonly tokenizer: string;
  /** Whether the target's own tokenizer counts, and not one that stands for it. */
  readonly exact: boolean;
  /** What is counted, and how far off it was where it was measured: a sentence. */
  readonly basis: string;
  /** Tokens that a request has more as soon as it has one tool. */
  readonly fixed: number;
  readonly of: (definition: Definition) => number;
  /** Counts the tokens of any other text. */
  readonly text: (text: string) => number;
}

/** Counts tokens as the models of one API do, or nearly: `basis` says how. Loads the tokenizer at its first use. */
export async function definitionCounter(target: LLMTarget): Promise<DefinitionCounter> {
  const counter = await loadO200kCounter();
  const way = ways[target](counter);
  return { target, tokenizer: counter.name, ...way, of: rememberCounts(target, way.of) };
}

/** Tokens of definitions that were counted before. A registry makes a new definition of a tool that changes. */
const counted = new Map<LLMTarget, WeakMap<Definition, number>>();

function rememberCounts(target: LLMTarget, count: DefinitionCounter["of"]): DefinitionCounter["of"] {
  const known = counted.get(target) ?? new WeakMap<Definition, number>();
  counted.set(target, known);
  return (definition) => {
    const tokens = known.get(definition) ?? count(definition);
    known.set(definition, tokens);
    return tokens;
  };
}

type Way = (counter: TokenCounter) => Pick<DefinitionCounter, "exact" | "basis" | "fixed" | "of" | "text">;

/**
 * Claude's tokens for one of o200k_base, in definitions as JSON; and what its API adds for the use of tools. Both are
 * those of Sonnet 4.6: 21 definitions were 3,165 tokens there and 3 were 972, of which 497 are the API's own by its
 * documentation. Newer models differ in both (Opus 4.8 adds 290, Sonnet 5 354).
 */
const claude = { factor: 1.38, fixed: 497 };

/** Gemma's tokens for one of o200k_base, over the texts of 60 declarations. */
const gemmaFactor = 1.04;

const openai: Way = (counter) => ({
  exact: true,
  basis:
    "the form in which OpenAI's models read functions, as published with the open ones; within 3 % of what the API counted for 3 and for 21 functions (gpt-5.4)",
  fixed: counter.count(openAIFrame),
  // The signs that begin one are one token with the end of the one before it.
  text: counter.count,
  of: (definition) => counter.count(`${openAIForm(definition as OpenAITool).slice(2)}\n//`),
});

const ways: Readonly<Record<LLMTarget, Way>> = {
  openai,
  "openai-strict": openai,
  anthropic: ({ count }) => ({
    exact: false,
    basis: `an estimate, as Claude's tokenizer is not published: the JSON times ${claude.factor}; within 3 % of what the API counted for 3 and for 21 tools (Sonnet 4.6), and up to a third low for models with a newer tokenizer`,
    fixed: claude.fixed,
    text: (text) => Math.ceil(count(text) * claude.factor),
    of: (definition) => Math.ceil(count(JSON.stringify(definition)) * claude.factor),
  }),
  gemini: ({ count }) => ({
    exact: false,
    basis: `an estimate: the texts that Google's own library counts, times ${gemmaFactor}; within 1 % of Gemma's tokenizer for 60 declarations, and 17 % for one`,
    fixed: 0,
    text: (text) => Math.ceil(count(text) * gemmaFactor),
    of: (definition) => {
      const texts = geminiTexts(definition as GeminiTool);
      return Math.ceil(texts.reduce((sum, text) => sum + count(text), 0) * gemmaFactor);
    },
  }),
  mcp: ({ count }) => ({
    exact: false,
    basis:
      "an estimate: name, description and input schema as JSON, which is what clients pass on; the client's model is not known, and Claude takes 1.38 times as many",
    fixed: 0,
    text: count,
    of: (definition) => {
      const { name, description, inputSchema } = definition as McpTool;
      return count(JSON.stringify({ name, description, inputSchema }));
    },
  }),
};
