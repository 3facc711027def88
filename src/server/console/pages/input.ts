import { OwnerPin } from "../../../app/index.ts";
import { isPromise, parseJson } from "../../../base/index.ts";
import type { CallContext, FromJsonSchema, Validate } from "../../../kernel/index.ts";
import type { Endpoint } from "../api/index.ts";
import { ConsoleFault } from "../errors.ts";
import type { ConsoleContext, ConsoleRequest } from "../route.ts";

/** The JSON Schema of a body: an object without keys that it does not name. */
type BodySchema = {
  readonly type: "object";
  readonly properties: object;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
};

const compiled = new WeakMap<object, Validate>();

/**
 * Checks the body of a request.
 *
 * @throws {ConsoleFault} CONSOLE_INPUT
 */
export async function readInput<const S extends BodySchema>(
  schema: S,
  { body }: { readonly body: unknown },
): Promise<FromJsonSchema<S>> {
  let check = compiled.get(schema);
  if (check === undefined) {
    const { compileJsonSchema } = await import("../../../schema/index.ts");
    check = compileJsonSchema({ ...schema });
    compiled.set(schema, check);
  }
  const checking = check(body);
  const checked = isPromise(checking) ? await checking : checking;
  if (checked.valid) return checked.value as FromJsonSchema<S>;
  const faults = checked.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw badInput(`the body does not fit: ${faults.join("; ")}`);
}

export function badInput(why: string): ConsoleFault {
  return new ConsoleFault("CONSOLE_INPUT", `Cannot take the request: ${why}`);
}

/** @param what The kind of thing with its article, such as `the tool`. */
export function notFound(what: string, id: string, hint: string): ConsoleFault {
  return new ConsoleFault("CONSOLE_NOT_FOUND", `Cannot find ${what} "${id}"; ${hint}`);
}

export function changedMeanwhile(what: string): ConsoleFault {
  return new ConsoleFault(
    "CONSOLE_CHANGED",
    `Cannot change ${what}: it was changed since it was shown; look at it as it is now`,
  );
}

/** Reads a `:name` segment of the path. */
export function readSegment({ segments }: Pick<ConsoleRequest<Endpoint>, "segments">, name: string): string {
  const segment = segments.get(name);
  if (segment === undefined) throw badInput(`its address has no ${name}`);
  return segment;
}

/**
 * Reads a whole number in the query.
 *
 * @throws {ConsoleFault} CONSOLE_INPUT
 */
export function readWhole(
  query: ReadonlyMap<string, string>,
  name: string,
  { least, most, fallback }: { readonly least: number; readonly most: number; readonly fallback: number },
): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
  throw badInput(`"${name}" must be a whole number from ${least} to ${most}`);
}

/**
 * Reads a field of the query that must be one of some words. Undefined if it is absent.
 *
 * @throws {ConsoleFault} CONSOLE_INPUT
 */
export function readWord<Word extends string>(
  query: ReadonlyMap<string, string>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = query.get(name);
  const word = words.find((one) => one === text);
  if (text === undefined || word !== undefined) return word;
  throw badInput(`"${name}" must be one of ${words.join(", ")}`);
}

/** Reads a list in the query, separated by commas. Undefined if it is empty or absent. */
export function readList(query: ReadonlyMap<string, string>, name: string): readonly string[] | undefined {
  const list = query
    .get(name)
    ?.split(",")
    .filter((word) => word !== "");
  return list?.length === 0 ? undefined : list;
}

/**
 * Checks the owner's PIN, if one is set, before a change that only the owner may make.
 *
 * @throws {PinError} PIN_REQUIRED, PIN_WRONG, PIN_LOCKED
 */
export async function requireOwner({ app }: ConsoleContext, pin: string | undefined): Promise<void> {
  await new OwnerPin(app.home).check(pin);
}

/** The JSON Schema of the PIN in a body. */
export const pinSchema = { type: "string", maxLength: 200 } as const;

/** Makes the context of calls by the person at the console. */
export function toCallContext({ app, by }: ConsoleContext): CallContext {
  return { ...app.context, userId: by, origin: { channel: "console", principal: by } };
}

/** Reads the arguments of a tool, given as a JSON value or as JSON text. */
export function readParams(given: unknown): unknown {
  return typeof given === "string" ? (parseJson(given) ?? given) : given;
}
