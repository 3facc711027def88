import { join, resolve } from "node:path";
import { type Connector, fromHome } from "../host/index.ts";
import type { OpenEmbedder } from "../modules/embeddings/index.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import { readApiKey } from "./api-key.ts";
import type { ApiEmbedderConfig, HaftConfig } from "./config/config-types.ts";
import type { Home } from "./home.ts";

export interface EmbedderServices {
  readonly connector: Connector;
  readonly secrets: Pick<Secrets, "get">;
  /** Takes secrets out of what is sent to an API: what is searched for is whatever somebody wrote. */
  readonly redact: (text: string) => string;
  /** The folder from which a relative folder of a model starts. */
  readonly folder: string;
  /** Its folder keeps the models that a package gets by itself. */
  readonly home: Pick<Home, "folder">;
  /** The file from which the package of a sentence model is looked for. @default one of haft's own */
  readonly packagesFrom?: string;
}

/**
 * The embedder that the configuration names; undefined where that is none. Where it names none, the sentence model of
 * `haft-encoder` is taken if that is installed, and else the one that comes with haft. Nothing is started or reached
 * before its first text.
 *
 * @throws {EmbedError} EMBED_MODEL if the folder of a model is not there, EMBED_PACKAGE if the package of one is not;
 * {ModelError} MODEL_SETUP.
 */
export async function openEmbedder(
  { tools }: HaftConfig,
  services: EmbedderServices,
): Promise<OpenEmbedder | undefined> {
  const config = tools?.search?.embedder;
  if (config === "none") return undefined;
  const {
    encoderIsMissing,
    openEncoderPackage,
    openPackagedModel,
    openTransformersModel,
    withPackagedWords,
  } = await import("../modules/embeddings/index.ts");
  if (config === "offline") return openPackagedModel();
  if (config === undefined || config === "encoder") {
    const encoder = openEncoderPackage(services.packagesFrom);
    if (encoder === undefined && config === "encoder") throw encoderIsMissing();
    return encoder === undefined ? openPackagedModel() : withPackagedWords(encoder);
  }
  if (config.provider === "openai-compatible")
    return withPackagedWords(await openApiEmbedder(config, services));
  const source =
    "folder" in config
      ? { folder: resolve(services.folder, fromHome(config.folder)) }
      : { model: config.model, cacheFolder: join(services.home.folder, "models") };
  return withPackagedWords(openTransformersModel(source));
}

/** The key that the configuration itself has, which nobody may be shown. */
export function readEmbedderKey(tools: HaftConfig["tools"]): string | undefined {
  const embedder = tools?.search?.embedder;
  return typeof embedder === "object" && "apiKey" in embedder ? embedder.apiKey : undefined;
}

async function openApiEmbedder(
  { url, model, apiKey, dimensions }: ApiEmbedderConfig,
  { connector, secrets, redact }: EmbedderServices,
): Promise<OpenEmbedder> {
  const { createApiEmbedder } = await import("../providers/index.ts");
  const key = { setting: "tools.search", task: "embed texts" };
  const embedder = createApiEmbedder({
    connector,
    baseUrl: url,
    model,
    ...(dimensions !== undefined && { dimensions }),
    ...(apiKey !== undefined && { apiKey: readApiKey({ ...key, apiKey }, secrets) }),
  });
  return {
    id: embedder.id,
    embed: (texts, signal) => embedder.embed(texts.map(redact), signal),
    close: () => Promise.resolve(),
  };
}
