import type { SecretSource } from "../../kernel/index.ts";
import { McpError } from "../errors.ts";

const secretName = "[A-Za-z_][A-Za-z0-9_.-]{0,127}";
const whole = new RegExp(`^secret:(${secretName})$`);
const within = new RegExp(`\\$\\{secret:(${secretName})\\}`, "g");

/** The names of the secrets in these values. */
function secretNamesIn(values: Readonly<Record<string, string>>): string[] {
  const names = Object.values(values).flatMap((value) => {
    const one = whole.exec(value)?.[1];
    return one === undefined ? Array.from(value.matchAll(within), (match) => match[1] as string) : [one];
  });
  return [...new Set(names)];
}

/**
 * The values with their secrets in place.
 *
 * @throws {McpError} MCP_CONFIG for a secret that is not stored.
 */
export async function fillSecrets(
  server: string,
  values: Readonly<Record<string, string>>,
  secrets: SecretSource | undefined,
  learn: ((name: string, value: string) => void) | undefined,
): Promise<Record<string, string>> {
  const found = new Map<string, string>();
  for (const name of secretNamesIn(values)) {
    const value = await secrets?.get("local", name);
    if (value === undefined) {
      throw new McpError(
        "MCP_CONFIG",
        `Cannot start the MCP server "${server}": its settings name the secret "${name}", which is not stored; store it with \`haft secret set ${name}\``,
        { details: { server, secret: name } },
      );
    }
    learn?.(name, value);
    found.set(name, value);
  }
  const fill = (value: string): string => {
    const one = whole.exec(value)?.[1];
    if (one !== undefined) return found.get(one) as string;
    return value.replace(within, (_all, name: string) => found.get(name) as string);
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}
