import { readsLikeSecret } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";

/** A value in the settings of a server that looks like a secret. */
export interface FoundSecret {
  readonly field: "env" | "headers";
  /** The variable or the header. */
  readonly key: string;
  /** What is kept: of a header without the word before it. */
  readonly value: string;
  /** What stands before it, `Bearer ` for one. */
  readonly prefix: string;
}

/** The store takes none that is shorter. */
const shortest = 8;
const shapes =
  /^(gh[opsur]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|npm_|pypi-|hf_|dop_v1_|shpat_|SG\.|lin_api_|ntn_|secret_|eyJ[\w-]+\.eyJ)/;
const headerNames = /^(proxy-)?authorization$|cookie|api-?key|token|secret/i;
const schemes = /^(Bearer|Basic|Token|token|ApiKey|Bot) +/;
const reference = /\$\{[^}]*\}|^secret:/;

/** The values in `env` and `headers` that look like secrets, and are no references. */
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

/** Whether a secret stands in the arguments or the address, which everybody on the machine can read and the secret store can't fill. */
export function hasBareSecret({ args = [], url }: McpServerConfig): boolean {
  const query = url === undefined ? [] : Array.from(URL.parse(url)?.searchParams ?? []);
  return (
    args.some((arg) => shapes.test(arg.replace(/^--?[\w-]+=/, ""))) ||
    query.some(([key, value]) => shapes.test(value) || (value.length >= shortest && readsLikeSecret(key)))
  );
}

/** What is to be stored, and the server that names it. */
export interface MovedSecrets {
  readonly server: McpServerConfig;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
}

/**
 * The server with the names of secrets in their place: the variable's own, or one with the server's before it where
 * that is taken.
 *
 * @param taken names of secrets that are stored
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
