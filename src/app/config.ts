import { isRecord } from "../base/index.ts";
import { describeIssues, type Rule } from "../kernel/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { SearchProviderName, WebReadOptions, WebSearchOptions } from "../tools/index.ts";
import { configSchema } from "./config-schema.ts";
import { ConfigError } from "./errors.ts";

/** A vocabulary of tools: one name for each ability. */
export type Profile = "coding" | "task";

/** What a configuration file says; every part may be left out. `config-schema.ts` has bounds and defaults. */
export interface HaftConfig {
  readonly tools?: {
    readonly profile?: Profile;
    readonly timeout?: number;
    readonly maxConcurrent?: number;
    readonly maxOutputChars?: number;
    readonly allowedPaths?: readonly string[];
    readonly allowedHosts?: readonly string[];
    readonly readableEnv?: readonly string[];
    readonly webSearch?: WebSearchConfig;
    readonly webRead?: WebReadConfig;
  };
  readonly permissions?: readonly Rule[];
  readonly serve?: { readonly port?: number };
  readonly store?: { readonly path?: string; readonly durability?: "normal" | "full" };
  /** Taken from the user's own file only. */
  readonly secrets?: { readonly key?: "file" | "passphrase" | "keyring" };
}

export type WebSearchConfig = WebSearchOptions & { readonly provider: SearchProviderName };
export type WebReadConfig = WebReadOptions;

/**
 * Reads the text of a configuration file. `${NAME}` and `${NAME:-default}` in its strings stand for environment
 * variables, and are filled in after the YAML is read: no value can change the file's form.
 *
 * @throws {ConfigError} CONFIG_SYNTAX with line and column, CONFIG_VARIABLE, CONFIG_INVALID.
 */
export async function parseConfig(
  text: string,
  file: string,
  variable: (name: string) => string | undefined,
): Promise<HaftConfig> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const fault = document.errors[0];
  if (fault !== undefined) {
    throw new ConfigError(
      "CONFIG_SYNTAX",
      `Cannot read "${file}": ${fault.message.trimEnd()}; correct the YAML there`,
      { cause: fault },
    );
  }
  const written: unknown = document.toJS() ?? {};
  const value = fillIn(written, (name) => {
    const found = variable(name);
    if (found !== undefined) return found;
    throw new ConfigError(
      "CONFIG_VARIABLE",
      `Cannot read "${file}": the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
    );
  });
  if (!isRecord(value)) {
    throw new ConfigError(
      "CONFIG_INVALID",
      `Cannot use "${file}": it has to be an object with keys such as tools and permissions; \`haft init\` writes one in another folder to copy from`,
    );
  }
  const validation = await compileJsonSchema(configSchema)(value);
  if (validation.valid) return validation.value as HaftConfig;
  throw new ConfigError(
    "CONFIG_INVALID",
    `Cannot use "${file}": ${describeIssues(validation.issues, value, configSchema)}`,
    { details: { issues: validation.issues } },
  );
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function fillIn(value: unknown, variable: (name: string) => string): unknown {
  if (typeof value === "string") {
    return value.replace(reference, (_whole, name: string, fallback: string | undefined) => {
      if (fallback === undefined) return variable(name);
      try {
        return variable(name);
      } catch {
        return fallback;
      }
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, variable));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, variable)]));
}

/**
 * What may be taken from a project's file that its user has not trusted: the rules that make haft stricter. A
 * folder that came from elsewhere must not open anything by the file it brings along.
 */
export function onlyStricter(config: HaftConfig): HaftConfig {
  const permissions = (config.permissions ?? []).filter((rule) => rule.decision !== "allow");
  return permissions.length === 0 ? {} : { permissions };
}

/** The user's own file with the project's over it; the rules of both hold. */
export function mergeConfigs(own: HaftConfig, project: HaftConfig): HaftConfig {
  return {
    tools: { ...own.tools, ...project.tools },
    serve: { ...own.serve, ...project.serve },
    store: { ...own.store, ...project.store },
    ...(own.secrets !== undefined && { secrets: own.secrets }),
    permissions: [...(own.permissions ?? []), ...(project.permissions ?? [])],
  };
}
