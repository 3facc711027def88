import { createHash } from "node:crypto";

const longestName = 64;

/**
 * The name under which a tool of another server is known here: `{server}__{tool}`, of at most 64 characters that
 * every model API takes. Where that would be too long, or not tell two tools apart, it ends in a hash of both
 * names. It is an alias for people and models: policy and ledger keep the two names, and nothing parses it back.
 *
 * @example
 * ```ts
 * toAlias("github", "create_issue"); // → "github__create_issue"
 * ```
 */
export function toAlias(server: string, tool: string): string {
  const plain = `${toNamePart(server)}__${toNamePart(tool)}`;
  if (plain.length <= longestName && isPlain(server) && isPlain(tool)) return plain;
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 10);
  return `${plain.slice(0, longestName - hash.length - 1)}_${hash}`;
}

function toNamePart(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Survives as it is, and can't be mistaken for two names or for the end of one. */
function isPlain(name: string): boolean {
  return (
    /^[A-Za-z0-9_-]+$/.test(name) && !name.includes("__") && !name.startsWith("_") && !name.endsWith("_")
  );
}
