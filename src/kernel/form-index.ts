/** Shorter values would take ordinary words out of every output. */
export const shortestSecret = 8;

export interface FoundForm {
  readonly index: number;
  readonly form: string;
  readonly mark: string;
}

/** Forms of secrets, all looked for at once: a pattern finds where one may begin, by its first characters; then it is compared. */
export class FormIndex {
  readonly #formsOf: (secret: string) => Iterable<string>;
  readonly #marks = new Map<string, string>();
  /** Their forms are made when a text is first looked at. */
  #waiting: (readonly [mark: string, value: string])[] = [];
  /** By their first characters, the longest first. */
  #byBeginning = new Map<string, string[]>();
  #byFirstTwo = new Map<string, string[]>();
  #firsts = new Set<string>();
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;
  /** Made anew after each new secret. */
  #pattern: RegExp | undefined;

  constructor(formsOf: (secret: string) => Iterable<string>) {
    this.#formsOf = formsOf;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#marks.size === 0;
  }

  /** The length of the shortest form. */
  get shortest(): number {
    this.#makeForms();
    return this.#shortest;
  }

  /** The length of the longest form. */
  get longest(): number {
    this.#compiled();
    return this.#longest;
  }

  add(name: string, value: string): void {
    if (value.length < shortestSecret) return;
    // The mark may come to stand in JSON, and must leave it JSON.
    this.#waiting.push([`[redacted:${JSON.stringify(name).slice(1, -1).replace(/\\./g, "/")}]`, value]);
  }

  /** The first form at `from` or later; of those that begin there, the longest. */
  find(text: string, from: number): FoundForm | undefined {
    const pattern = this.#compiled();
    if (pattern === undefined) return undefined;
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index, 0: beginning } = match;
      const form = this.#byBeginning.get(beginning)?.find((candidate) => text.startsWith(candidate, index));
      if (form !== undefined) return { index, form, mark: this.#marks.get(form) as string };
      pattern.lastIndex = index + 1;
    }
    return undefined;
  }

  /** Start of the longest ending that is the beginning of a form, at `from` or later. */
  startOfEnding(text: string, from: number): number {
    if (this.#compiled() === undefined) return text.length;
    for (let start = Math.max(from, text.length - this.#longest + 1); start < text.length - 1; start++) {
      const candidates = this.#byFirstTwo.get(text.slice(start, start + 2));
      if (candidates === undefined) continue;
      const length = text.length - start;
      if (candidates.some((form) => form.length > length && text.endsWith(form.slice(0, length))))
        return start;
    }
    if (from < text.length && this.#firsts.has(text.charAt(text.length - 1))) return text.length - 1;
    return text.length;
  }

  /** The mark of the secret that this is a form's beginning of; undefined: of none, or too short to tell. */
  markOfBeginning(beginning: string): string | undefined {
    if (beginning.length < shortestSecret) return undefined;
    this.#compiled();
    for (const [form, mark] of this.#marks) if (form.startsWith(beginning)) return mark;
    return undefined;
  }

  #compiled(): RegExp | undefined {
    this.#makeForms();
    if (this.#pattern !== undefined || this.#marks.size === 0) return this.#pattern;
    const forms = [...this.#marks.keys()].sort((a, b) => b.length - a.length);
    this.#longest = forms[0]?.length ?? 0;
    this.#byFirstTwo = Map.groupBy(forms, (form) => form.slice(0, 2));
    this.#firsts = new Set(forms.map((form) => form.charAt(0)));
    this.#byBeginning = Map.groupBy(forms, (form) => form.slice(0, shortestSecret));
    const beginnings = [...this.#byBeginning.keys()];
    this.#pattern = new RegExp(
      beginnings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
      "g",
    );
    return this.#pattern;
  }

  #makeForms(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const [mark, value] of waiting) {
      for (const form of this.#formsOf(value)) {
        if (form.length < shortestSecret || this.#marks.get(form) === mark) continue;
        this.#marks.set(form, mark);
        this.#shortest = Math.min(this.#shortest, form.length);
        this.#pattern = undefined;
      }
    }
  }
}
