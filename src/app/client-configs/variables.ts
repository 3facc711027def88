import { isRecord } from "../../base/index.ts";

/** What was met on the way. */
export interface VariableNotes {
  /** Secrets that have to be stored, in place of what a client asks for. */
  readonly secrets: Set<string>;
  readonly unknown: Set<string>;
}

/**
 * The texts of a value with other clients' variables written as ours. A variable that is not set is empty, as it is
 * there: one that is missing must not keep haft from starting.
 */
export function toOurVariables(value: unknown, home: string, notes: VariableNotes): unknown {
  if (typeof value === "string") return convert(value, home, notes);
  if (Array.isArray(value)) return value.map((item) => toOurVariables(item, home, notes));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toOurVariables(item, home, notes)]),
  );
}

const variable = /\$\{([^}]*)\}|(?<!\$)\{(env|file):([^}]+)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

function convert(text: string, home: string, notes: VariableNotes): string {
  return text.replace(variable, (whole, inside?: string, kind?: string, name?: string, bare?: string) => {
    if (bare !== undefined) return `\${${bare}:-}`;
    const written = inside ?? `${kind}:${name}`;
    const found = findMeaning(written, home, notes);
    if (found === undefined) notes.unknown.add(whole);
    return found ?? whole;
  });
}

function findMeaning(written: string, home: string, notes: VariableNotes): string | undefined {
  const [, name, fallback = ""] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?$/.exec(written) ?? [];
  // A server starts in the project's folder.
  if (/^workspace(Folder|Root)(:.*)?$/.test(written)) return ".";
  if (written === "userHome") return home;
  if (written === "pathSeparator" || written === "/") return "/";
  if (name !== undefined) return `\${${name}:-${fallback}}`;
  const input = /^input:(.+)$/.exec(written)?.[1];
  if (input === undefined) return undefined;
  const secret = input
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
  notes.secrets.add(secret);
  return `\${secret:${secret}}`;
}
