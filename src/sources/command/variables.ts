import { SourceError } from "../errors.ts";
import type { Fields } from "../fields.ts";
import type { Slot, Values } from "./parts.ts";
import { isValueText, renderText } from "./render.ts";
import { CommandFault, readTag } from "./tag.ts";

/** How a variable of a tool's process gets its value. */
export type Variable =
  | { readonly name: string; readonly secret: string }
  | {
      readonly name: string;
      readonly written: string;
      readonly pieces: readonly (string | Slot | Reference)[];
    };

/** A variable of haft's own environment: `${NAME}` or `${NAME:-fallback}`. */
interface Reference {
  readonly variable: string;
  readonly fallback: string | undefined;
}

const mostVariables = 100;
const secretForm = /^secret:([A-Za-z0-9_.-]{1,128})$/;
const referenceForm = /\$\{([A-Za-z_]\w{0,255})(?::-([^}]*))?\}/y;

/** The variables of `environment`; what its values name there is thereby declared, and nothing else is given. */
export function readVariables(fields: Fields): readonly Variable[] {
  const around = fields.object("environment");
  if (around === undefined) return [];
  const names = around.keys();
  if (names.length > mostVariables) {
    fields.invalid("environment", `it has more than ${mostVariables} variables; take some away`);
    return [];
  }
  return names.flatMap((name) => readVariable(around, name) ?? []);
}

function readVariable(fields: Fields, name: string): Variable | undefined {
  const raw = fields.raw(name);
  if (!/^[A-Za-z_]\w{0,255}$/.test(name) || /^HAFT_/i.test(name))
    return fields.invalid(
      name,
      'a variable is named with letters, digits and "_", and those of haft begin with HAFT_; choose another name',
    );
  const text = typeof raw === "number" || typeof raw === "boolean" ? String(raw) : raw;
  if (typeof text !== "string" || text.length > 10_000)
    return fields.invalid(name, "it must be a text of at most 10,000 characters");
  const [, secret] = secretForm.exec(text) ?? [];
  if (secret !== undefined) return { name, secret };
  if (text.startsWith("secret:"))
    return fields.invalid(name, 'a secret is named as secret:NAME, with letters, digits, "_", "." and "-"');
  try {
    return { name, written: text, pieces: readPieces(text) };
  } catch (error) {
    if (error instanceof CommandFault) return fields.invalid(name, error.message);
    throw error;
  }
}

function readPieces(text: string): (string | Slot | Reference)[] {
  const pieces: (string | Slot | Reference)[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const tag = readTag(text, at);
    referenceForm.lastIndex = at;
    const reference = tag === undefined ? referenceForm.exec(text) : null;
    if (tag !== undefined && tag.kind !== "value")
      throw new CommandFault("COMMAND_SYNTAX", "a variable knows {{name}} and ${NAME}, not {{#if}}", at);
    if (tag === undefined && reference === null) {
      if (text.startsWith("${", at))
        throw new CommandFault("COMMAND_SYNTAX", "a variable is named as ${NAME} or ${NAME:-fallback}", at);
      at++;
      continue;
    }
    pieces.push(text.slice(start, at));
    if (tag !== undefined) pieces.push({ parameter: tag.name, offset: at });
    else if (reference !== null) pieces.push({ variable: reference[1] as string, fallback: reference[2] });
    at = tag?.end ?? referenceForm.lastIndex;
    start = at;
  }
  pieces.push(text.slice(start));
  return pieces.filter((piece) => piece !== "");
}

/** The parameters that a variable's value has in it. */
export function listSlots(variable: Variable): readonly Slot[] {
  return "secret" in variable
    ? []
    : variable.pieces.filter((piece): piece is Slot => typeof piece === "object" && "parameter" in piece);
}

/** The variables as they are told of before anything runs: no value of the machine or a secret is in them. */
export function describeVariables(variables: readonly Variable[]): Record<string, string> {
  return Object.fromEntries(
    variables.map((one) => [one.name, "secret" in one ? `secret:${one.secret}` : one.written]),
  );
}

export interface VariableSources {
  /**
   * A variable of haft's own environment, for a name that the tool declares; null where there is none. Throws
   * for what no tool gets.
   */
  readonly variable: (name: string) => string | null;
  readonly secret: (name: string) => Promise<string>;
}

/**
 * The values for one call. A variable with a parameter that has no value is left out.
 *
 * @throws {SourceError} COMMAND_VARIABLE for one that is not set, COMMAND_VALUE; what the sources throw.
 */
export async function fillVariables(
  variables: readonly Variable[],
  values: Values,
  sources: VariableSources,
): Promise<Record<string, string>> {
  const filled: Record<string, string> = Object.create(null);
  for (const variable of variables) {
    const text =
      "secret" in variable ? await sources.secret(variable.secret) : fillPieces(variable, values, sources);
    if (text === undefined) continue;
    if (!isValueText(text))
      throw new SourceError(
        "COMMAND_VALUE",
        `Cannot set the variable "${variable.name}": its value has a null character or half of a character; leave that out`,
      );
    filled[variable.name] = text;
  }
  return filled;
}

function fillPieces(
  { name, pieces }: Exclude<Variable, { readonly secret: string }>,
  values: Values,
  { variable }: VariableSources,
): string | undefined {
  const texts: string[] = [];
  for (const piece of pieces) {
    if (typeof piece === "string") texts.push(piece);
    else if ("parameter" in piece) {
      const text = renderText(values, piece.parameter);
      if (text === undefined) return undefined;
      texts.push(text);
    } else {
      const value = variable(piece.variable) ?? piece.fallback;
      if (value === undefined) {
        throw new SourceError(
          "COMMAND_VARIABLE",
          `Cannot set the variable "${name}": it is made of \${${piece.variable}}, which is not set where haft runs; set it there, write \${${piece.variable}:-fallback}, or store a secret and write secret:NAME`,
        );
      }
      texts.push(value);
    }
  }
  return texts.join("");
}
