import { cutHead } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";
import {
  compileNames,
  decidesWhatRuns,
  type NameTest,
  passedNames,
  readableNames,
  readsLikeSecret,
} from "./environment-names.ts";

/** The owner of variables: a call's `scope` and `agentId`. */
export interface EnvironmentOwner {
  readonly scope: string;
  readonly agentId: string | undefined;
}

/** Which variables there are, which may be read, and which processes get. */
export interface EnvironmentOptions {
  /** @default the environment of this program */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** More names that may be read, beside the default ones; `*` stands for any part. */
  readonly readable?: readonly string[];
  /** More names that processes get, beside the default ones. */
  readonly passed?: readonly string[];
}

const validName = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
const urlPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:([^\s@/]+)@/i;
/** Shorter values would take ordinary words out of every output. */
const shortestSecret = 8;

const longestValue = 32_768;
const mostVariables = 100;
/** The most characters that the variables of all owners together have. */
const mostHeld = 4_000_000;

/**
 * The environment as tools may see and change it. Reading is by an allow-list of names. What an agent sets is
 * seen by its own later processes only, is forgotten when the program ends, and never reaches `process.env`.
 *
 * @example
 * ```ts
 * const environment = new Environment({ variables: { LANG: "en_GB.UTF-8", API_KEY: "s3cr3t" } });
 * const owner = { scope: "local", agentId: "helper" };
 * environment.get(owner, "LANG"); // → "en_GB.UTF-8"
 * "API_KEY" in environment.childEnvironment(owner); // → false
 * ```
 */
export class Environment {
  readonly #variables: Readonly<Record<string, string | undefined>>;
  readonly #readable: NameTest;
  readonly #readableNames: readonly string[];
  readonly #passed: NameTest;
  /** The names that the owner lists, beside those that anybody may read. */
  readonly #listed: NameTest;
  readonly #set = new Map<string, Map<string, string>>();
  #held = 0;

  constructor({ variables = process.env, readable = [], passed = [] }: EnvironmentOptions = {}) {
    this.#variables = variables;
    this.#readableNames = [...readableNames, ...readable];
    this.#readable = compileNames(this.#readableNames);
    this.#passed = compileNames([...passedNames, ...passed]);
    this.#listed = compileNames(readable);
  }

  /**
   * What the owner's processes would find under this name; null where they would find nothing.
   *
   * @throws {HostError} ENVIRONMENT_NAME; ENVIRONMENT_HIDDEN for a name that is not on the list or reads like a secret's.
   */
  get(owner: EnvironmentOwner, name: string): string | null {
    checkName(name);
    const hidden = readsLikeSecret(name)
      ? "its name reads like a secret's"
      : "it is not on the list of readable names";
    const set = this.#set.get(toKey(owner))?.get(name);
    if (readsLikeSecret(name) || (set === undefined && !this.#readable(name))) {
      throw new HostError(
        "ENVIRONMENT_HIDDEN",
        `Cannot read the variable "${name}": ${hidden} (${this.#readableNames.join(", ")}), nor did this agent set it; use one that is`,
      );
    }
    return set ?? this.#variables[name] ?? null;
  }

  /**
   * Sets a variable for the owner's later processes; null takes back what it set. Returns what they would have
   * found before, or null for nothing, and for a name that may not be read.
   *
   * @throws {HostError} ENVIRONMENT_NAME; ENVIRONMENT_FIXED for a name that could make other commands do something
   * else; ENVIRONMENT_VALUE for a value with a null character or lone surrogate, over 32,768 characters, or over
   * what may be held at all (100 variables an agent).
   */
  set(owner: EnvironmentOwner, name: string, value: string | null): string | null {
    this.checkSet(owner, name, value);
    const key = toKey(owner);
    const own = this.#set.get(key) ?? new Map<string, string>();
    const former = own.get(name);
    const previous = former ?? (this.#passed(name) ? this.#variables[name] : undefined) ?? null;
    if (value !== null) {
      this.#held = this.#heldWith(name, value, former);
      own.set(name, value);
      this.#set.set(key, own);
    } else if (former !== undefined) {
      own.delete(name);
      this.#held -= name.length + former.length;
      if (own.size === 0) this.#set.delete(key);
    }
    return readsLikeSecret(name) ? null : previous;
  }

  /** Throws what {@link set} would throw. */
  checkSet(owner: EnvironmentOwner, name: string, value: string | null): void {
    checkName(name);
    checkChangeable(name);
    if (value === null) return;
    checkValue(name, value);
    const own = this.#set.get(toKey(owner));
    const former = own?.get(name);
    const isFull = former === undefined && (own?.size ?? 0) >= mostVariables;
    if (isFull || this.#heldWith(name, value, former) > mostHeld) throw full(name);
  }

  /** Characters of all variables, once this one is among them. */
  #heldWith(name: string, value: string, former: string | undefined): number {
    return this.#held + name.length + value.length - (former === undefined ? 0 : name.length + former.length);
  }

  /**
   * What our own environment has under a name that the owner's own file asks for, whoever calls; null for nothing.
   *
   * @throws {HostError} ENVIRONMENT_NAME; ENVIRONMENT_HIDDEN for haft's own, and for a name that reads like a secret's
   * and is not on the owner's list.
   */
  declared(name: string): string | null {
    checkName(name);
    const isOwn = /^HAFT_/i.test(name);
    if (isOwn || (readsLikeSecret(name) && !this.#listed(name))) {
      const why = isOwn ? "it is one of haft's own" : "its name reads like a secret's";
      throw new HostError(
        "ENVIRONMENT_HIDDEN",
        `Cannot give the variable "${name}" to a tool: ${why}; ${isOwn ? "use another" : "store it with `haft secret set` and write `secret:NAME`, or name it in tools.readableEnv"}`,
      );
    }
    return this.#variables[name] ?? null;
  }

  /** All that a process of this owner gets. */
  childEnvironment(owner: EnvironmentOwner): Record<string, string> {
    const environment: Record<string, string> = Object.create(null);
    // Each read of this program's own environment is a lookup, so only the wanted variables are read.
    for (const name of Object.keys(this.#variables)) {
      const value = this.#passed(name) ? this.#variables[name] : undefined;
      if (value !== undefined) environment[name] = value;
    }
    environment["PATH"] ??= "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    for (const [name, value] of this.#set.get(toKey(owner)) ?? []) environment[name] = value;
    return environment;
  }

  /** Values of this program's environment that must never be shown, by name: for a redactor. */
  secretValues(): Map<string, string> {
    const secrets = new Map<string, string>();
    for (const [name, value] of Object.entries(this.#variables)) {
      const secret = readsLikeSecret(name) ? value : urlPassword.exec(value ?? "")?.[1];
      if (secret !== undefined && secret.length >= shortestSecret) secrets.set(name, secret);
    }
    return secrets;
  }
}

/** A variable of this program's own environment, for its own settings; tools read theirs from an {@link Environment}. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}

function toKey({ scope, agentId }: EnvironmentOwner): string {
  return JSON.stringify([scope, agentId ?? null]);
}

function checkName(name: string): void {
  if (validName.test(name)) return;
  throw new HostError(
    "ENVIRONMENT_NAME",
    `Cannot use "${cutHead(name, 64)}" as the name of a variable: such a name has at most 256 letters, digits and "_", no digit first; choose another`,
  );
}

function checkChangeable(name: string): void {
  if (!decidesWhatRuns(name)) return;
  throw new HostError(
    "ENVIRONMENT_FIXED",
    `Cannot set the variable "${name}": it could make later commands run something else than what was approved; set it within the one command that needs it`,
  );
}

function checkValue(name: string, value: string): void {
  const fault =
    value.length > longestValue
      ? `it has ${value.length} characters, and at most ${longestValue} are taken`
      : value.includes("\0")
        ? "it contains a null character"
        : value.isWellFormed()
          ? undefined
          : "it contains half of a surrogate pair";
  if (fault === undefined) return;
  throw new HostError(
    "ENVIRONMENT_VALUE",
    `Cannot set the variable "${name}" to this value: ${fault}; use another value or a file`,
  );
}

function full(name: string): HostError {
  return new HostError(
    "ENVIRONMENT_VALUE",
    `Cannot set the variable "${name}": this agent has ${mostVariables} already, or all agents together hold too much; take some back first`,
  );
}
