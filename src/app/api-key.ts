import { readSecretName } from "../kernel/index.ts";
import { ModelError } from "../model/index.ts";
import type { Secrets } from "../modules/secrets/index.ts";

export interface ApiKeySetting {
  /** The key as it is written: itself, or `${secret:NAME}`. */
  readonly apiKey: string;
  /** The setting that names it: `tools.search`. */
  readonly setting: string;
  /** What can't be done without it: `embed texts`. */
  readonly task: string;
}

/** What an adapter asks for the key of an API. A stored secret is read anew each time: it may have been changed. */
export function readApiKey(
  { apiKey, setting, task }: ApiKeySetting,
  secrets: Pick<Secrets, "get">,
): () => Promise<string> {
  const name = readSecretName(apiKey);
  if (name === undefined) return () => Promise.resolve(apiKey);
  return async () => {
    const key = await secrets.get("local", name);
    if (key !== undefined) return key;
    throw new ModelError(
      "MODEL_SETUP",
      `Cannot ${task}: the secret "${name}" of ${setting} is not stored; store it with \`haft secret set ${name}\``,
    );
  };
}
