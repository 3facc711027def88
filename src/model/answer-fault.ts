import { cutHead, isRecord, oneLine, parseTime } from "../base/index.ts";

/** What is wrong with an answer, in words for the model that gave it. */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault";
}

const nothing = /^\s*(none|null|undefined|n\/a)?\s*$/i;

/** A part of an answer that is to be JSON, with the place where it stands. Each reader throws {@link AnswerFault}. */
export class AnswerPart {
  readonly #value: unknown;
  readonly #place: string;

  constructor(value: unknown, place: string) {
    this.#value = value;
    this.#place = place;
  }

  /** A member of an object. */
  get(name: string): AnswerPart {
    if (!isRecord(this.#value)) throw this.fault("is no object");
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
    return new AnswerPart(value, this.#place === "" ? name : `${this.#place}.${name}`);
  }

  /** What can be left out: undefined where it is, and where what stands there can't be used. */
  optional<Value>(read: (part: AnswerPart) => Value): Value | undefined {
    if (this.#saysNothing) return undefined;
    try {
      return read(this);
    } catch (thrown) {
      if (thrown instanceof AnswerFault) return undefined;
      throw thrown;
    }
  }

  /** The first items of a list that can be left out, without those that can't be used. */
  optionalItems<Item>(most: number, read: (item: AnswerPart) => Item): readonly Item[] {
    const items = this.optional((part) => part.list(Number.POSITIVE_INFINITY)) ?? [];
    return items
      .map((item) => item.optional(read))
      .filter((item) => item !== undefined)
      .slice(0, most);
  }

  /** Whether it says nothing, in the words of models too. */
  get #saysNothing(): boolean {
    const value = this.#value;
    return value === undefined || value === null || (typeof value === "string" && nothing.test(value));
  }

  list(most: number): readonly AnswerPart[] {
    if (!Array.isArray(this.#value)) throw this.fault("is no list");
    if (this.#value.length > most) throw this.fault(`has more than ${most} items`);
    return this.#value.map((value: unknown, index) => new AnswerPart(value, `${this.#place}[${index}]`));
  }

  /** On one line. */
  line(longest: number): string {
    const line = oneLine(this.text(longest));
    if (/\p{Cc}/u.test(line)) throw this.fault("has a control character");
    return line;
  }

  text(longest: number): string {
    if (typeof this.#value !== "string") throw this.fault("is no text");
    const text = this.#value.toWellFormed().replaceAll("\0", "").trim();
    if (text === "") throw this.fault("is empty");
    if (text.length > longest) throw this.fault(`is longer than ${longest} characters`);
    return text;
  }

  oneOf<Word extends string>(words: readonly Word[]): Word {
    const word = words.find((each) => each === this.#value);
    if (word === undefined) throw this.fault(`is none of ${words.join(", ")}`);
    return word;
  }

  /** A date, maybe with a time: Unix ms. */
  date(): number {
    const text = this.line(40);
    const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(text) ? parseTime(text) : Number.NaN;
    if (Number.isNaN(time))
      throw this.fault(`is no date like 2026-01-31: ${JSON.stringify(cutHead(text, 40))}`);
    return time;
  }

  /** What is known by an id that the question gave. */
  known<Thing>(things: ReadonlyMap<string, Thing>): Thing {
    const thing = typeof this.#value === "string" ? things.get(this.#value) : undefined;
    if (thing === undefined)
      throw this.fault(
        `is none of the ids that were given: ${cutHead(JSON.stringify(this.#value) ?? "", 40)}`,
      );
    return thing;
  }

  fault(what: string): AnswerFault {
    return new AnswerFault(`${this.#place || "the answer"} ${what}`);
  }
}
