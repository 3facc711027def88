import { readsLikeSecret } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";

/** A value in the settings of a server that looks like a secret. */
export interface FoundSecret {
  readonly field: "env" | "headers";
  /** Name of the variable or header. */
  readonly key: string;
  /** The secret itself, without `prefix`. */
  readonly value: string;
  /** The scheme before the secret in a header, such as `Bearer `; otherwise empty. */
  readonly prefix: string;
}

/** Length of the shortest secret that the secret store takes. */
const shortest = 8;
const shapes =
  /^(gh[opsur]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|npm_|pypi-|hf_|dop_v1_|shpat_|SG\.|lin_api_|ntn_|secret_|eyJ[\w-]+\.eyJ)/;
const headerNames = /^(proxy-)?authorization$|cookie|api-?key|token|secret/i;
const schemes = /^(Bearer|Basic|Token|token|ApiKey|Bot) +/;
const reference = /\$\{[^}]*\}|^secret:/;

/** Finds values in `env` and `headers` that look like secrets and are no references to one. */
export function findSecrets({ env = {}, headers = {} }: McpServerConfig): readonly FoundSecret[] {
  const inEnv = Object.entries(env).map(([key, value]): FoundSecret => {
    return { field: "env", key, value, prefix: "" };
  });
  const inHeaders = Object.entries(headers).map(([key, whole]): FoundSecret => {
    const prefix = schemes.exec(whole)?.[0] ?? "";
    return { field: "headers", key, value: whole.slice(prefix.length), prefix };
  });
  return [...inEnv, ...inHeaders].filter(isSecret);
}

function isSecret({ field, key, value }: FoundSecret): boolean {
  if (value.length < shortest || reference.test(value)) return false;
  return shapes.test(value) || (field === "env" ? readsLikeSecret(key) : headerNames.test(key));
}

/** Whether the arguments or the URL contain a secret. Other users can read both, and neither can refer to the secret store. */
export function hasBareSecret({ args = [], url }: McpServerConfig): boolean {
  const query = url === undefined ? [] : Array.from(URL.parse(url)?.searchParams ?? []);
  return (
    args.some((arg) => shapes.test(arg.replace(/^--?[\w-]+=/, ""))) ||
    query.some(([key, value]) => shapes.test(value) || (value.length >= shortest && readsLikeSecret(key)))
  );
}

/** A server that refers to secrets, and the secrets to store. */
export interface MovedSecrets {
  readonly server: McpServerConfig;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Replaces secrets in a server's settings by references to the secret store. A secret is named after its variable; if that
 * name is taken, or for a header, the server's name comes before it.
 *
 * @param taken Names that the secret store already has.
 */
export function moveSecrets(
  server: McpServerConfig,
  found: readonly FoundSecret[],
  taken: Iterable<string>,
): MovedSecrets {
  const names = new Set(taken);
  const secrets: { name: string; value: string }[] = [];
  const moved: Record<FoundSecret["field"], Record<string, string>> = {
    env: { ...server.env },
    headers: { ...server.headers },
  };
  for (const { field, key, value, prefix } of found) {
    const name = freeName(
      field === "env" ? [key, `${server.name}_${key}`] : [`${server.name}_${key}`],
      names,
    );
    names.add(name);
    secrets.push({ name, value });
    moved[field][key] = `${prefix}\${secret:${name}}`;
  }
  const { env, headers } = moved;
  return {
    server: {
      ...server,
      ...(Object.keys(env).length > 0 && { env }),
      ...(Object.keys(headers).length > 0 && { headers }),
    },
    secrets,
  };
}

function freeName(wanted: readonly string[], taken: ReadonlySet<string>): string {
  const names = wanted.map((name) =>
    name
      .replace(/[^A-Za-z0-9_]+/g, "_")
      .replace(/^(?=\d)/, "_")
      .toUpperCase(),
  );
  const last = names.at(-1) as string;
  for (let count = 2; ; count++) {
    const free = names.find((name) => !taken.has(name));
    if (free !== undefined) return free.slice(0, 128);
    names.splice(0, names.length, `${last}_${count}`);
  }
}
