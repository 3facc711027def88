/** One argument to be: texts, and the parameters whose values stand between them. */
export interface Word {
  readonly pieces: readonly (string | Slot)[];
}

/** The gap into which the value of a parameter goes. */
export interface Slot {
  readonly parameter: string;
  /** The position in the command's text. */
  readonly offset: number;
}

/** What stands in the command only where the parameter has a value that is not false, 0 or empty; else the other. */
export interface Choice<Part> {
  readonly condition: string;
  readonly offset: number;
  readonly held: readonly (Part | Choice<Part>)[];
  readonly otherwise: readonly (Part | Choice<Part>)[];
}

export function isChoice<Part extends object | string>(part: Part | Choice<Part>): part is Choice<Part> {
  return typeof part === "object" && "condition" in part;
}

/** What one call gives a parameter; a list has no lists in it. */
export type Value = string | number | boolean | readonly (string | number | boolean)[];
export type Values = Readonly<Record<string, unknown>>;

export function getValue(values: Values, name: string): Value | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === null ? undefined : (value as Value | undefined);
}

/** Handlebars' meaning of true. */
function holds(values: Values, name: string): boolean {
  const value = getValue(values, name);
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The parts that this call chooses. */
export function* chosen<Part extends object | string>(
  parts: readonly (Part | Choice<Part>)[],
  values: Values,
): Generator<Part> {
  for (const part of parts) {
    if (!isChoice(part)) yield part;
    else yield* chosen(holds(values, part.condition) ? part.held : part.otherwise, values);
  }
}

/** All parts, whatever is chosen, with the conditions around each. */
export function* everyPart<Part extends object | string>(
  parts: readonly (Part | Choice<Part>)[],
  conditions: readonly string[] = [],
): Generator<{ readonly part: Part; readonly conditions: readonly string[] }> {
  for (const part of parts) {
    if (!isChoice(part)) {
      yield { part, conditions };
      continue;
    }
    yield* everyPart(part.held, [...conditions, part.condition]);
    yield* everyPart(part.otherwise, conditions);
  }
}

/** Every condition, with its place. */
export function* everyChoice<Part extends object | string>(
  parts: readonly (Part | Choice<Part>)[],
): Generator<Choice<Part>> {
  for (const part of parts) {
    if (!isChoice(part)) continue;
    yield part;
    yield* everyChoice(part.held);
    yield* everyChoice(part.otherwise);
  }
}
