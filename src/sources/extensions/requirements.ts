import { isAbsolute, resolve } from "node:path";
import { isRecord, nearestNames } from "../../base/index.ts";

/** What an extension says it needs, as `meta.requires`. It gets this, and nothing else. */
export interface ExtensionRequirements {
  /** Names of stored secrets, for `context.secret` and for a factory. */
  readonly secrets?: readonly string[];
  /** Variables of haft's own environment. */
  readonly env?: readonly string[];
  /** Programs on the `PATH`. */
  readonly bins?: readonly string[];
  /** Hosts that it may reach: `api.example.com`, `api.example.com:8443`. */
  readonly hosts?: readonly string[];
  /** Folders and files that it may read; relative ones start from the project folder. */
  readonly read?: readonly string[];
  /** Folders and files that it may change. */
  readonly write?: readonly string[];
}

export type Requirements = Required<ExtensionRequirements>;

const names = ["secrets", "env", "bins", "hosts", "read", "write"] as const;
const mostOfEach = 50;

const forms: Readonly<Record<keyof Requirements, { readonly pattern: RegExp; readonly form: string }>> = {
  secrets: { pattern: /^[A-Za-z0-9_.-]{1,128}$/, form: "names of secrets" },
  // A name that decides what runs would be a power beyond reading a value; haft's own hold its keys.
  env: {
    pattern: /^(?!HAFT_|NODE_|LD_|DYLD_|PATH$)[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    form: "names of variables; none of HAFT_*, NODE_*, LD_*, DYLD_*, PATH",
  },
  bins: { pattern: /^[A-Za-z0-9_.+-]{1,128}$/, form: "names of programs, without a folder" },
  hosts: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:\d{1,5})?$/,
    form: "names of single hosts, such as api.example.com:8443",
  },
  read: { pattern: /^[^\0]{1,1000}$/, form: "paths" },
  write: { pattern: /^[^\0]{1,1000}$/, form: "paths" },
};

/**
 * What was written, with nothing left out.
 *
 * @returns a text where it can't be used: why.
 */
export function readRequirements(given: unknown): Requirements | string {
  const read: Record<string, readonly string[]> = {};
  if (given !== undefined && !isRecord(given)) return "meta.requires must be an object of lists";
  for (const name of names) {
    const list = given?.[name] ?? [];
    const { pattern, form } = forms[name];
    if (
      !Array.isArray(list) ||
      list.length > mostOfEach ||
      !list.every((one) => typeof one === "string" && pattern.test(one))
    )
      return `meta.requires.${name} must be a list of at most ${mostOfEach} ${form}`;
    read[name] = list;
  }
  const unknown = Object.keys(given ?? {}).find((name) => !(names as readonly string[]).includes(name));
  if (unknown === undefined) return read as unknown as Requirements;
  const [nearest] = nearestNames(unknown, names, 1);
  return `meta.requires has no "${unknown}"; ${nearest === undefined ? `there are ${names.join(", ")}` : `did you mean "${nearest}"`}`;
}

export interface Surroundings {
  readonly hasSecret: (name: string) => Promise<boolean>;
  readonly variable: (name: string) => string | undefined;
  readonly hasProgram: (name: string) => boolean;
}

/** What of it is not there, each with what to do about it. */
export async function findMissing(
  { secrets, env, bins }: Requirements,
  around: Surroundings,
): Promise<string[]> {
  const missing: string[] = [];
  for (const name of secrets)
    if (!(await around.hasSecret(name)))
      missing.push(`the secret "${name}" is not stored (\`haft secret set ${name}\`)`);
  for (const name of env)
    if (around.variable(name) === undefined)
      missing.push(`the variable ${name} is not set where haft was started`);
  for (const name of bins)
    if (!around.hasProgram(name)) missing.push(`the program "${name}" is not on the PATH`);
  return missing;
}

/** All of them together: what one worker gets. */
export function unite(list: readonly Requirements[]): Requirements {
  const union = (name: keyof Requirements) => Array.from(new Set(list.flatMap((one) => one[name])));
  return {
    secrets: union("secrets"),
    env: union("env"),
    bins: union("bins"),
    hosts: union("hosts"),
    read: union("read"),
    write: union("write"),
  };
}

export function resolvePlaces(paths: readonly string[], folder: string): string[] {
  return paths.map((path) => (isAbsolute(path) ? path : resolve(folder, path)));
}
