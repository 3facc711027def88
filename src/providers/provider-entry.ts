import type { Connector } from "../host/index.ts";
import type { ChatModel, ModelFacts } from "../model/index.ts";

/** Which model is opened, and how it is reached. */
export interface ChatModelSettings {
  readonly connector: Pick<Connector, "origin" | "open" | "request">;
  readonly model: string;
  /** The address of the API, up to what comes before its paths. @default the provider's own */
  readonly baseUrl?: string;
  /** Is asked for the key before each request. Absent: the API wants none. */
  readonly apiKey?: () => Promise<string>;
  /** The setting with which a person sets it up, as an error names it: `models.main`. */
  readonly setting: string;
  /** What to do about a key that is not taken. @default "give it the right apiKey in", and the setting */
  readonly keyRemedy?: string;
  /** Facts about the model that override those of its provider. */
  readonly facts?: Partial<Omit<ModelFacts, "dialect">>;
  /**
   * How an OpenAI-compatible API is told that JSON is wanted: by its schema, as JSON of any form, or not at all, where
   * words say it alone. @default "json_schema"
   */
  readonly jsonBy?: "json_schema" | "json_object" | "words";
  /** What an OpenAI-compatible API calls the most tokens of an answer. @default "max_tokens" */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * The family of models whose form of messages an OpenAI-compatible API takes; `any`: it takes those of all.
   * @default by the name of the model
   */
  readonly template?: "mistral" | "kimi" | "any";
}

/** A provider of models: one kind of API. */
export interface ModelProviderEntry {
  /** Its name as `provider` in the configuration. */
  readonly id: string;
  /** The package that has it, where it has one. */
  readonly package?: string;
  /** The address of its API, where it has one of its own. */
  readonly baseUrl?: string;
  /**
   * A model of it. Nothing is loaded and nothing reached before that is asked.
   *
   * @throws {ModelError} MODEL_SETUP for an address that is none, or holds credentials.
   */
  readonly open: (settings: ChatModelSettings) => ChatModel;
  /**
   * Loads its package, without any request.
   *
   * @throws {ModelError} MODEL_PACKAGE
   */
  readonly check?: () => Promise<void>;
}
