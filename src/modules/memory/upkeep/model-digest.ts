import { formatDay } from "../../../base/index.ts";
import type { Model } from "../../../model/index.ts";
import { askJson } from "../../../model/index.ts";
import { defaultLimits, type MemoryLimits } from "./limits.ts";
import {
  digestPrompt,
  digestSystem,
  foldPrompt,
  foldSystem,
  profilePrompt,
  profileSystem,
  type Titled,
  textSchema,
} from "./prompts/text-prompts.ts";

/** The model that writes, and the limits of what it is given. */
export interface MemoryDigestOptions {
  readonly model: Model;
  readonly limits?: Partial<MemoryLimits>;
}

interface Digested {
  readonly project: string;
  /** The oldest first. */
  readonly sources: readonly Titled[];
  readonly signal: AbortSignal;
}

interface Promoted {
  readonly project: string;
  readonly note: Titled;
  readonly profile?: string;
  readonly signal: AbortSignal;
}

/**
 * Has a model write profiles and digests; where they are kept is up to the caller. Each method rejects with an {@link
 * AgentError} where the model gives nothing usable.
 *
 * @example
 * ```ts
 * const digest = new ModelDigest({ model: createScriptedModel([{ value: { text: "Ada lives in Paris." } }]) });
 * const sources = [{ title: "Monday", text: "Ada moved to Paris.", at: 1_780_000_000_000 }];
 * await digest.compact({ project: "shop", sources, signal: AbortSignal.timeout(1_000) }); // → "Ada lives in Paris."
 * ```
 */
export class ModelDigest {
  readonly #model: Model;
  readonly #limits: MemoryLimits;

  constructor({ model, limits }: MemoryDigestOptions) {
    this.#model = model;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** The profile of a project with what a note says folded in. */
  promote({ project, note, profile = "", signal }: Promoted): Promise<string> {
    return this.#ask(foldSystem, foldPrompt(project, profile, note), signal);
  }

  /** A profile of a project made anew. */
  regenerate({ project, sources, signal }: Digested): Promise<string> {
    return this.#ask(profileSystem, profilePrompt(project, sources), signal);
  }

  /** What is worth keeping of sources of one week. */
  compact({ project, sources, signal }: Digested): Promise<string> {
    const [first] = sources;
    const from = first === undefined ? "nothing" : formatDay(first.at);
    return this.#ask(digestSystem, digestPrompt(project, from, sources), signal);
  }

  #ask(system: string, prompt: string, signal: AbortSignal): Promise<string> {
    const { answerTokens: maxTokens, textChars } = this.#limits;
    return askJson(this.#model, {
      system,
      prompt,
      schema: textSchema,
      maxTokens,
      signal,
      read: (answer) => answer.get("text").text(textChars),
    });
  }
}
