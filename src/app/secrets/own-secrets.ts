import { existsSync } from "node:fs";
import { getErrorMessage } from "../../base/index.ts";
import { type Environment, readVariable } from "../../host/index.ts";
import { type Redactor, readSecretName } from "../../kernel/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { readEmbedderKey } from "../embedding.ts";
import { type Home, passphraseVariable } from "../home.ts";
import { createKnownSecrets, type KnownSecrets } from "./known-secrets.ts";

/** The secrets of our environment, of the configuration, the tokens that clients and the owner show, and the key of handles. */
export function findOwnSecrets(
  home: Home,
  environment: Environment,
  { tools, memory, models = {} }: HaftConfig,
): KnownSecrets {
  const secrets = environment.secretValues();
  const own = {
    "web search key": tools?.webSearch?.apiKey,
    "web read key": tools?.webRead?.apiKey,
    "embedder key": readEmbedderKey(tools),
    "memory model key": memory?.model?.apiKey,
    ...Object.fromEntries(
      Object.entries(models).map(([name, { apiKey }]) => [`key of the model ${name}`, apiKey]),
    ),
  };
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && readSecretName(value) === undefined) secrets.set(name, value);
  const made = {
    "haft token": home.keptToken(),
    "haft owner token": home.keptOwnerToken(),
    "haft state key": home.keptStateKey(),
    "haft bridge key": home.keptBridgeKey(),
  };
  for (const [name, value] of Object.entries(made)) if (value !== undefined) secrets.set(name, value);
  return createKnownSecrets(secrets);
}

/** How long it is believed that no key is there: a look at the disk costs a tenth of a call. */
const believedMs = 20;

/**
 * Whether something may be stored: without a key nothing can be, and the store need not be opened to see. Asked at every
 * call; a key that another process makes is seen 20 ms later.
 */
export function secretsTest(home: Home, { secrets }: HaftConfig): () => boolean {
  if (secrets?.key === "keyring" || readVariable(passphraseVariable)) return () => true;
  const { secretKeys } = home;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - lookedAt < believedMs) return false;
    if (existsSync(secretKeys)) return true;
    lookedAt = now;
    return false;
  };
}

/** The fault as it can be told: in other words where its own would show a secret. */
export function withoutSecrets(error: unknown, redact: Redactor): unknown {
  const message = getErrorMessage(error);
  const clean = redact(message);
  return clean === message ? error : new Error(clean);
}
