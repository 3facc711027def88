import { isRecord } from "../../base/index.ts";
import { appendIssues, type JsonSchema } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { ConfigError } from "../errors.ts";
import { checkPacks } from "./check-packs.ts";
import { configSchema } from "./config-schema.ts";
import type { HaftConfig } from "./config-types.ts";
import { plainlyFits } from "./plainly-fits.ts";

type Check = ReturnType<typeof compileJsonSchema>;

/** The checks, by the keys of the files that they check. */
const checks = new Map<string, Check>();

/** Compiling all of the schema takes long, and most files have few of its keys. */
function chooseCheck(value: Readonly<Record<string, unknown>>): Check {
  const known = configSchema["properties"] as Readonly<Record<string, JsonSchema>>;
  const keys = Object.keys(value).toSorted();
  // If one is not known, the fault names those that are.
  const names = keys.every((key) => Object.hasOwn(known, key)) ? keys : Object.keys(known);
  let check = checks.get(names.join());
  if (check === undefined) {
    const properties = Object.fromEntries(names.map((name) => [name, known[name]]));
    check = compileJsonSchema({ ...configSchema, properties });
    checks.set(names.join(), check);
  }
  return check;
}

/**
 * Reads the text of a configuration file. `${NAME}` and `${NAME:-default}` in its strings stand for environment
 * variables, and are filled in after the YAML is read: no value can change the file's form.
 *
 * @throws {ConfigError} CONFIG_SYNTAX with line and column, CONFIG_VARIABLE, CONFIG_INVALID.
 *
 * @example
 * ```ts
 * const config = await parseConfig("mode: ${MODE:-ask}", "haft.config.yml", () => undefined);
 * config.mode; // → "ask"
 * ```
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
  if (plainlyFits(configSchema, value)) return checkPacks(value as HaftConfig, file);
  const validation = await chooseCheck(value)(value);
  if (validation.valid) return checkPacks(validation.value as HaftConfig, file);
  throw new ConfigError(
    "CONFIG_INVALID",
    appendIssues(`Cannot use "${file}":`, validation.issues, value, configSchema),
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
