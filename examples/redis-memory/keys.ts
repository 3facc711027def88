/** Where things are kept: as JSON, in which no two scopes, labels or ids come to the same key. */
export class Keys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The number of the newest entry. */
  readonly seq = (): string => this.#key("seq");
  /** A KeptEntry. */
  readonly entry = (id: string): string => this.#key("entry", id);
  /** A KeptVersion. */
  readonly version = (id: string, version: number): string => this.#key("version", id, version);
  /** The set of the ids of entries that the scope has, its own and those shared with it. */
  readonly scope = (scope: string): string => this.#key("scope", scope);
  /** The id of the scope's own entry that has the label. */
  readonly label = (scope: string, label: string): string => this.#key("label", scope, label);
  /** The position of the last turn of the session. */
  readonly session = (scope: string, session: string): string => this.#key("session", scope, session);

  #key(...parts: readonly (string | number)[]): string {
    return this.#prefix + JSON.stringify(parts);
  }
}
