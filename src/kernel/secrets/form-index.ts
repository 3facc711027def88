/** Shorter values would take ordinary words out of every output. */
export const shortestSecret = 8;

export interface FoundForm {
  readonly index: number;
  readonly form: string;
  readonly mark: string;
}

/** How many characters the search looks at together, and how far it goes on where no form has them at its beginning. */
const blockChars = 3;
const farthest = shortestSecret - blockChars + 1;
const shiftsSize = 2 ** 15;

/** The place in the table of shifts of the three characters at `at`. */
function hashPlace(text: string, at: number): number {
  return (
    (text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 5) ^ (text.charCodeAt(at + 2) << 10)) &
    (shiftsSize - 1)
  );
}

/**
 * Forms of secrets, all looked for at once, by the method of Wu and Manber: of every eight characters where a form may
 * begin the search looks at the last three, and a table says how far it can go on without passing a beginning. So its
 * cost grows with the text, and hardly with the number of forms.
 */
export class FormIndex {
  readonly #listForms: (secret: string) => Iterable<string>;
  readonly #marks = new Map<string, string>();
  /** Their forms are made when a text is first looked at. */
  #waiting: (readonly [mark: string, value: string])[] = [];
  /** The forms by their first characters, the longest first. */
  #byBeginning = new Map<string, string[]>();
  #byFirstTwo = new Map<string, string[]>();
  #firsts = new Set<string>();
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;
  /** Made anew after each new secret. */
  #shifts: Uint8Array | undefined;

  constructor(listForms: (secret: string) => Iterable<string>) {
    this.#listForms = listForms;
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
    const shifts = this.#compiled();
    if (shifts === undefined) return undefined;
    const last = text.length - shortestSecret;
    for (let at = from; at <= last; ) {
      const shift = shifts[hashPlace(text, at + shortestSecret - blockChars)] as number;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const form = this.#byBeginning
        .get(text.slice(at, at + shortestSecret))
        ?.find((candidate) => text.startsWith(candidate, at));
      if (form !== undefined) return { index: at, form, mark: this.#marks.get(form) as string };
      at++;
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

  #compiled(): Uint8Array | undefined {
    this.#makeForms();
    if (this.#shifts !== undefined || this.#marks.size === 0) return this.#shifts;
    const forms = [...this.#marks.keys()].sort((a, b) => b.length - a.length);
    this.#longest = forms[0]?.length ?? 0;
    this.#byFirstTwo = Map.groupBy(forms, (form) => form.slice(0, 2));
    this.#firsts = new Set(forms.map((form) => form.charAt(0)));
    this.#byBeginning = Map.groupBy(forms, (form) => form.slice(0, shortestSecret));
    const shifts = new Uint8Array(shiftsSize).fill(farthest);
    for (const beginning of this.#byBeginning.keys()) {
      for (let at = 0; at < farthest; at++) {
        const place = hashPlace(beginning, at);
        shifts[place] = Math.min(shifts[place] as number, farthest - 1 - at);
      }
    }
    this.#shifts = shifts;
    return shifts;
  }

  #makeForms(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const [mark, value] of waiting) {
      for (const form of this.#listForms(value)) {
        if (form.length < shortestSecret || this.#marks.get(form) === mark) continue;
        this.#marks.set(form, mark);
        this.#shortest = Math.min(this.#shortest, form.length);
        this.#shifts = undefined;
      }
    }
  }
}
