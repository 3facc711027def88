import { OwnerPin } from "../../../app/index.ts";
import { isPromise, parseJson } from "../../../base/index.ts";
import type { CallContext, FromJsonSchema, Validate } from "../../../kernel/index.ts";
import type { Endpoint } from "../api/index.ts";
import { ConsoleFault } from "../errors.ts";
import type { ConsoleContext, ConsoleRequest } from "../route.ts";

/** The schema of a body: an object with no other keys than those it names. */
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

/** @param what with its article: `the tool` */
export function notFound(what: string, id: string, hint: string): ConsoleFault {
  return new ConsoleFault("CONSOLE_NOT_FOUND", `Cannot find ${what} "${id}"; ${hint}`);
}

export function changedMeanwhile(what: string): ConsoleFault {
  return new ConsoleFault(
    "CONSOLE_CHANGED",
    `Cannot change ${what}: it was changed since it was shown; look at it as it is now`,
  );
}

/** The segment of the path that has this name. */
export function readSegment({ segments }: Pick<ConsoleRequest<Endpoint>, "segments">, name: string): string {
  const segment = segments.get(name);
  if (segment === undefined) throw badInput(`its address has no ${name}`);
  return segment;
}

/**
 * A whole number of the address.
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
 * One of some words of the address.
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

/** A list of the address, separated by commas; undefined for none. */
export function readList(query: ReadonlyMap<string, string>, name: string): readonly string[] | undefined {
  const list = query
    .get(name)
    ?.split(",")
    .filter((word) => word !== "");
  return list?.length === 0 ? undefined : list;
}

/**
 * Checks the owner's PIN if one is set, before a change of policy.
 *
 * @throws {PinError} PIN_REQUIRED, PIN_WRONG, PIN_LOCKED
 */
export async function requireOwner({ app }: ConsoleContext, pin: string | undefined): Promise<void> {
  await new OwnerPin(app.home).check(pin);
}

/** The PIN in a body that changes policy. */
export const pinSchema = { type: "string", maxLength: 200 } as const;

/** The context of calls that the person at the console makes. */
export function toCallContext({ app, by }: ConsoleContext): CallContext {
  return { ...app.context, userId: by, origin: { channel: "console", principal: by } };
}

/** Any JSON object, as text or as it is: arguments of a tool. */
export function readParams(given: unknown): unknown {
  return typeof given === "string" ? (parseJson(given) ?? given) : given;
}
