import { createHash } from "node:crypto";
import { getErrorMessage } from "../../base/index.ts";
import type { Connector } from "../../host/index.ts";
import { readSecretName } from "../../kernel/index.ts";
import {
  type ChatModel,
  chainModels,
  findPrices,
  ModelError,
  type ModelFacts,
  type ModelPrices,
  toModelPrices,
} from "../../model/index.ts";
import type { Secrets } from "../../modules/secrets/index.ts";
import type { ModelProviderEntry } from "../../providers/index.ts";
import { readApiKey } from "../api-key.ts";
import type { HaftConfig, NamedModelConfig } from "../config/config-types.ts";
import { findKnownFacts } from "./known-models.ts";
import { withRedaction } from "./redacted-model.ts";
import { listUnknownModels, suggestModel } from "./unknown-models.ts";

/** Services that models need. */
export interface ModelServices {
  readonly connector: Connector;
  readonly secrets: Pick<Secrets, "get">;
  /** Removes secrets from requests, since a message may hold any text. */
  readonly redact: (text: string) => string;
  /** Called when a provider refuses the key or the name of a model while a fallback answers. @default nobody is */
  readonly onError?: (error: unknown) => void;
}

/** A model of the configuration, and what it lacks. */
export interface ModelListing {
  readonly name: string;
  readonly id: string;
  readonly provider: string;
  /** The address of its API, where that can be told. */
  readonly url?: string;
  /** The purposes that the configuration uses the model for. */
  readonly uses: readonly ("agent" | "memory")[];
  readonly fallback: readonly string[];
  readonly facts: Pick<ModelFacts, "contextTokens" | "maxOutputTokens" | "images">;
  /** Whether its context size is known; otherwise a small one is assumed. */
  readonly isContextKnown: boolean;
  readonly isPriced: boolean;
  /** What has to be done before it can be asked, each with its remedy. */
  readonly missing: readonly string[];
}

/** Deadline for the first piece of an answer if the model is configured to think. */
const thinkingMs = 300_000;

/** The models of one installation, as its configuration has them. Nothing is loaded before one is asked for. */
export class Models {
  readonly #config: HaftConfig;
  readonly #services: ModelServices;
  /** Cached, so that all callers share what a chain has learned about failing models. */
  readonly #chains = new Map<string, Promise<ChatModel>>();

  constructor(config: HaftConfig, services: ModelServices) {
    this.#config = config;
    this.#services = services;
  }

  get names(): readonly string[] {
    return Object.keys(this.#config.models ?? {});
  }

  /** The name of the model that agents work with; undefined where none is chosen. */
  get agentModel(): string | undefined {
    return this.#config.agent?.model;
  }

  /**
   * A model by its name, with its fallbacks, retries and deadlines.
   *
   * @throws {ModelError} MODEL_SETUP
   */
  open(name: string): Promise<ChatModel> {
    let chain = this.#chains.get(name);
    if (chain === undefined) {
      chain = this.#openChain(name);
      this.#chains.set(name, chain);
      chain.catch(() => this.#chains.delete(name));
    }
    return chain;
  }

  /**
   * A model by its name, without fallbacks or retries.
   *
   * @throws {ModelError} MODEL_SETUP
   */
  async openAlone(name: string): Promise<ChatModel> {
    const config = this.#find(name, "models");
    const { openChatModel } = await import("../../providers/index.ts");
    const { connector, secrets, redact } = this.#services;
    const { provider, model, url, apiKey, effort, jsonBy, maxTokensField, template } = config;
    const setting = `models.${name}`;
    const secret = apiKey === undefined ? undefined : readSecretName(apiKey);
    const chat = openChatModel(provider, {
      connector,
      model,
      setting,
      facts: toFacts(config),
      ...(url !== undefined && { baseUrl: url }),
      ...(jsonBy !== undefined && { jsonBy }),
      ...(maxTokensField !== undefined && { maxTokensField }),
      ...(template !== undefined && { template }),
      ...(secret !== undefined && {
        keyRemedy: `store the right key with \`haft secret set ${secret}\`, which ${setting} uses`,
      }),
      ...(apiKey !== undefined && {
        apiKey: readApiKey({ setting, task: `ask the model "${name}"`, apiKey }, secrets),
      }),
    });
    return withRedaction(chat, redact, effort);
  }

  /** The prices of a model by its id, `provider/model`: those of the configuration, or else those that haft ships with. */
  findPrices(id: string): ModelPrices | undefined {
    const configs = Object.values(this.#config.models ?? {});
    const config = configs.find(({ provider, model, prices }) => prices && `${provider}/${model}` === id);
    return choosePrices(id, config?.prices);
  }

  /** The settings that name a model which is not configured, each with what to do. Empty if there are no models. */
  get unknown(): readonly string[] {
    return listUnknownModels(this.#config);
  }

  /** Every model of the configuration, in its order. */
  async list(): Promise<readonly ModelListing[]> {
    const { modelProviderEntries } = await import("../../providers/index.ts");
    return Promise.all(
      Object.entries(this.#config.models ?? {}).map(([name, config]) =>
        this.#describe(name, config, modelProviderEntries),
      ),
    );
  }

  async #openChain(name: string): Promise<ChatModel> {
    const { fallback = [], onRefusal = "stop" } = this.#find(name, "models");
    for (const other of fallback) this.#find(other, `models.${name}.fallback`);
    const models = await Promise.all([name, ...fallback].map((each) => this.openAlone(each)));
    const thinks = [name, ...fallback].some(
      (each) => (this.#config.models?.[each]?.effort ?? "off") !== "off",
    );
    const { onError } = this.#services;
    return chainModels(models, {
      onRefusal,
      ...(onError !== undefined && { onSetupFault: onError }),
      ...(thinks && { deadlines: { firstMs: thinkingMs } }),
    });
  }

  #find(name: string, where: string): NamedModelConfig {
    const { models = {} } = this.#config;
    const config = Object.hasOwn(models, name) ? models[name] : undefined;
    if (config !== undefined) return config;
    const known = this.names;
    throw new ModelError(
      "MODEL_SETUP",
      known.length === 0
        ? `Cannot use the model "${name}": there are no models in the configuration; add it under \`models\` in haft.config.yml`
        : `Cannot use the model "${name}" of ${where}: there is none of this name; ${suggestModel(name, known)}`,
      { details: { retry: false } },
    );
  }

  async #describe(
    name: string,
    config: NamedModelConfig,
    entries: readonly ModelProviderEntry[],
  ): Promise<ModelListing> {
    const { provider, model, fallback = [] } = config;
    const entry = entries.find(({ id }) => id === provider);
    const url = config.url ?? entry?.baseUrl;
    const facts = toFacts(config);
    return {
      name,
      id: `${provider}/${model}`,
      provider,
      ...(url !== undefined && { url }),
      uses: [
        ...(this.#config.agent?.model === name ? ["agent" as const] : []),
        ...(this.#config.agent?.memoryModel === name && this.#config.memory?.model === undefined
          ? ["memory" as const]
          : []),
      ],
      fallback,
      facts: { contextTokens: 32_000, maxOutputTokens: 4096, images: false, ...facts },
      isContextKnown: facts.contextTokens !== undefined,
      isPriced: facts.prices !== undefined,
      missing: await this.#findMissing(name, config, entry),
    };
  }

  async #findMissing(
    name: string,
    { url, apiKey, fallback = [] }: NamedModelConfig,
    entry: ModelProviderEntry | undefined,
  ): Promise<readonly string[]> {
    const missing: string[] = [];
    if (url === undefined && entry?.baseUrl === undefined)
      missing.push(`no url: give the address of its API in models.${name}`);
    if (apiKey === undefined && url === undefined && entry?.baseUrl !== undefined)
      missing.push(`no apiKey: store one with \`haft secret set\`, and name it in models.${name}`);
    if (apiKey?.trim() === "") missing.push(`an empty apiKey: give the key in models.${name}`);
    const secret = readSecretName(apiKey);
    if (secret !== undefined) {
      const fault = `the secret "${secret}" is not stored: run \`haft secret set ${secret}\``;
      const isKept = this.#services.secrets.get("local", secret).then((kept) => kept !== undefined);
      await isKept.then(
        (kept) => kept || missing.push(fault),
        (error: unknown) => missing.push(getErrorMessage(error)),
      );
    }
    for (const other of fallback)
      if (!this.names.includes(other))
        missing.push(`there is no model "${other}" to fall back to; ${suggestModel(other, this.names)}`);
    await entry?.check?.().catch((error: unknown) => missing.push(getErrorMessage(error)));
    return missing;
  }
}

function choosePrices(id: string, own: NamedModelConfig["prices"]): ModelPrices | undefined {
  return own === undefined ? findPrices(id) : toModelPrices(own);
}

/** What the configuration says of a model, or what its name tells. */
function toFacts(config: NamedModelConfig): Partial<Omit<ModelFacts, "dialect">> {
  const { model, contextTokens, maxOutputTokens, images, prices, quota, url, apiKey, provider } = config;
  const priced = choosePrices(`${provider}/${model}`, prices);
  return {
    ...findKnownFacts(model),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(images !== undefined && { images }),
    ...(priced !== undefined && { prices: priced }),
    quota:
      quota ??
      createHash("sha256")
        .update(JSON.stringify([provider, url, apiKey]))
        .digest("hex")
        .slice(0, 16),
  };
}
