import { cutHead, isRecord, nearestNames } from "../base/index.ts";
import type { DocumentPath, Place, PlacedDocument } from "./placed-document.ts";
import type { Problems } from "./problems.ts";

export interface TextOptions {
  readonly required?: boolean;
  /** @default 1,000 */
  readonly most?: number;
  readonly pattern?: RegExp;
  /** What the pattern means, for whoever breaks it: `lower-case letters, digits and "-"`. */
  readonly form?: string;
}

export interface NumberOptions {
  readonly least: number;
  readonly most: number;
}

/** The values of a file, and the places of each in it. */
export type FieldsDocument = Pick<PlacedDocument, "value" | "findPlace" | "placeOfKey" | "placeWithin">;

/**
 * One object in a file that a user wrote. Fields are read by name; what is not as it must be is told with its place and
 * reads as absent, and so is, at the end, every field that nobody asked for.
 */
export class Fields {
  readonly #document: FieldsDocument;
  readonly #path: DocumentPath;
  readonly #problems: Problems;
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #isObject: boolean;
  readonly #known: string[] = [];

  constructor(document: FieldsDocument, path: DocumentPath, problems: Problems) {
    this.#document = document;
    this.#path = path;
    this.#problems = problems;
    const value = path.reduce<unknown>(
      (around, key) => (around as Record<string | number, unknown> | undefined)?.[key],
      document.value,
    );
    this.#value = isRecord(value) ? value : {};
    this.#isObject = isRecord(value);
    if (!this.#isObject) this.#fault(path, `it must be an object with fields`);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#value, key);
  }

  /** The value as it stands. */
  raw(key: string): unknown {
    this.#known.push(key);
    return Object.hasOwn(this.#value, key) ? this.#value[key] : undefined;
  }

  text(key: string, { required = false, most = 1000, pattern, form }: TextOptions = {}): string | undefined {
    const value = this.raw(key);
    if (value === undefined) {
      if (required) this.missing(key);
      return undefined;
    }
    if (typeof value !== "string") return this.invalid(key, "it must be text; put it in quotes");
    if (required && value.trim() === "") return this.invalid(key, "it is empty; write something");
    if (value.length > most)
      return this.invalid(key, `it has ${value.length} characters, and at most ${most} are taken`);
    if (pattern !== undefined && !pattern.test(value))
      return this.invalid(key, `"${cutHead(value, 100)}" is not of the form it must have: ${form}`);
    return value;
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === "boolean") return value;
    return this.invalid(key, "it must be true or false, without quotes");
  }

  number(key: string, { least, most }: NumberOptions): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= least && value <= most) return value;
    return this.invalid(key, `it must be a number from ${least} to ${most.toLocaleString("en")}`);
  }

  oneOf<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const value = this.raw(key);
    if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
    return this.invalid(key, `it must be one of ${words.join(", ")}`);
  }

  /** A list of texts; one text is a list of one. */
  texts(key: string, options: TextOptions & { readonly mostItems: number }): readonly string[] {
    const value = this.raw(key);
    if (value === undefined) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const { most = 1000, mostItems, pattern, form } = options;
    const isText = (one: unknown): one is string =>
      typeof one === "string" && one.length <= most && pattern?.test(one) !== false;
    if (list.length <= mostItems && list.every(isText)) return list;
    this.invalid(
      key,
      `it must be a list of at most ${mostItems} texts${form === undefined ? "" : `: ${form}`}`,
    );
    return [];
  }

  /** A list of objects, each to be read as this one is. */
  objects(key: string, mostItems: number): readonly Fields[] {
    const value = this.raw(key);
    if (value === undefined) return [];
    if (Array.isArray(value) && value.length <= mostItems)
      return value.map((_, at) => new Fields(this.#document, [...this.#path, key, at], this.#problems));
    this.invalid(key, `it must be a list of at most ${mostItems} objects, each begun with "-"`);
    return [];
  }

  object(key: string): Fields | undefined {
    const value = this.raw(key);
    return value === undefined ? undefined : new Fields(this.#document, [...this.#path, key], this.#problems);
  }

  /** The keys that the file has, whether they are known or not. */
  keys(): readonly string[] {
    return Object.keys(this.#value);
  }

  /** Tells of every field that nothing asked for. */
  refuseOthers(): void {
    for (const key of Object.keys(this.#value)) {
      if (this.#known.includes(key)) continue;
      const [nearest] = nearestNames(key, this.#known, 1);
      const hint =
        nearest === undefined ? `the fields are ${this.#known.join(", ")}` : `did you mean "${nearest}"`;
      this.#problems.error(
        "FIELD_UNKNOWN",
        `Cannot use the field "${cutHead(key, 64)}": there is none of that name; ${hint}`,
        this.#document.placeOfKey([...this.#path, key]),
      );
    }
  }

  missing(key: string): undefined {
    if (!this.#isObject) return;
    this.#problems.error(
      "FIELD_MISSING",
      `Cannot do without the field "${this.#formatName(key)}": it is required; add it`,
      this.#document.findPlace(this.#path),
    );
  }

  /** @returns undefined, as which the field then reads. */
  invalid(key: string, why: string): undefined {
    this.#fault([...this.#path, key], why);
  }

  findPlace(key: string): Place {
    return this.#document.findPlace([...this.#path, key]);
  }

  placeWithin(key: string, offset: number): Place {
    return this.#document.placeWithin([...this.#path, key], offset);
  }

  #fault(path: DocumentPath, why: string): void {
    const what = path.length === 0 ? "these fields" : `the field "${formatPath(path)}"`;
    this.#problems.error("FIELD_INVALID", `Cannot use ${what}: ${why}`, this.#document.findPlace(path));
  }

  #formatName(key: string): string {
    return formatPath([...this.#path, key]);
  }
}

function formatPath(path: DocumentPath): string {
  return path.join(".");
}
