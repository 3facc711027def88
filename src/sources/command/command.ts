import { nearestNames } from "../../base/index.ts";
import type { Fields } from "../fields.ts";
import type { Problems } from "../problems.ts";
import { isOptional, type Parameter } from "./parameters.ts";
import { type Choice, everyChoice, everyPart, isChoice, type Slot, type Values, type Word } from "./parts.ts";
import { fillLine, fillWords } from "./render.ts";
import { readShellLine } from "./shell-line.ts";
import { splitWords } from "./split-words.ts";
import { CommandFault } from "./tag.ts";
import { listSlots, type Variable } from "./variables.ts";

/** A command as its author wrote it, read once. */
export interface Command {
  /** A program and its arguments, or a line for bash. */
  fill(values: Values): readonly [string, ...string[]] | string;
}

export interface CommandSurroundings {
  readonly parameters: readonly Parameter[];
  /** None of them was at fault: what is not among them is not there. */
  readonly complete: boolean;
  readonly variables: readonly Variable[];
  readonly shell: boolean;
  readonly problems: Problems;
}

/** Reads the field `command`; undefined where it can't be used. */
export function readCommand(fields: Fields, around: CommandSurroundings): Command | undefined {
  const text = fields.text("command", { required: true, most: 20_000 });
  if (text === undefined) return undefined;
  try {
    return around.shell ? readLine(text, fields, around) : readWords(text, fields, around);
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    around.problems.error(
      error.code,
      `Cannot use the command: ${error.message}`,
      fields.placeWithin("command", error.offset),
    );
    return undefined;
  }
}

function readWords(text: string, fields: Fields, around: CommandSurroundings): Command {
  const words = splitWords(text);
  const [program] = words;
  if (program === undefined) throw new CommandFault("COMMAND_SYNTAX", "it has no words; write a program", 0);
  const used = Array.from(everyPart(words)).flatMap(({ part }) => part.pieces.filter(isSlot));
  const byName = checkNames([...used, ...listConditions(words)], around);
  if (isChoice(program) || program.pieces.some((piece) => isSlot(piece) && mayVanish(byName, piece)))
    throw new CommandFault(
      "COMMAND_SYNTAX",
      "its first word is the program, and may not be left out; write it as it is",
      0,
    );
  for (const { part } of everyPart(words)) {
    const lists = part.pieces
      .filter(isSlot)
      .filter(({ parameter }) => byName.get(parameter)?.type === "array");
    if (lists.length > 1)
      throw new CommandFault(
        "COMMAND_PARAMETER",
        "one word holds two lists; give each a word of its own",
        lists[1]?.offset ?? 0,
      );
  }
  warnOfUnused([...used, ...listConditions(words)], fields, around);
  warnOfOptions(words, byName, fields, around);
  return { fill: (values) => fillWords(words, values) as [string, ...string[]] };
}

function readLine(text: string, fields: Fields, around: CommandSurroundings): Command {
  const parts = readShellLine(text);
  const used = Array.from(everyPart(parts)).flatMap(({ part }) => (isSlot(part) ? [part] : []));
  const byName = checkNames([...used, ...listConditions(parts)], around);
  for (const { part, conditions } of everyPart(parts)) {
    if (!isSlot(part)) continue;
    const parameter = byName.get(part.parameter);
    if (parameter !== undefined && isOptional(parameter) && !conditions.includes(part.parameter)) {
      throw new CommandFault(
        "COMMAND_PARAMETER",
        `{{${part.parameter}}} may be absent, and the line would then say something else; put {{#if ${part.parameter}}}…{{/if}} around it, or give the parameter a default`,
        part.offset,
      );
    }
  }
  for (const { part } of everyPart(parts)) {
    if (isSlot(part) && byName.get(part.parameter)?.type === "array" && !standsAlone(text, part))
      throw new CommandFault(
        "COMMAND_PARAMETER",
        `{{${part.parameter}}} is a list, and its items are words; put blanks around it`,
        part.offset,
      );
  }
  warnOfUnused([...used, ...listConditions(parts)], fields, around);
  return { fill: (values) => fillLine(parts, values) };
}

function isSlot(piece: string | object): piece is Slot {
  return typeof piece === "object" && "parameter" in piece;
}

function listConditions<Part extends object | string>(parts: readonly (Part | Choice<Part>)[]): Slot[] {
  return Array.from(everyChoice(parts), ({ condition, offset }) => ({ parameter: condition, offset }));
}

function mayVanish(byName: ReadonlyMap<string, Parameter>, { parameter: name }: Slot): boolean {
  const parameter = byName.get(name);
  return parameter !== undefined && (isOptional(parameter) || parameter.type === "array");
}

function standsAlone(text: string, { offset }: Slot): boolean {
  const end = text.indexOf("}}", offset) + 2;
  return /(^|[\s}(])$/.test(text.slice(0, offset)) && /^($|[\s{;|&)])/.test(text.slice(end));
}

function checkNames(
  used: readonly Slot[],
  { parameters, complete }: CommandSurroundings,
): Map<string, Parameter> {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const { parameter: name, offset } of used) {
    if (byName.has(name) || !complete) continue;
    const [nearest] = nearestNames(name, byName.keys(), 1);
    const hint = nearest === undefined ? "declare it under parameters" : `did you mean {{${nearest}}}`;
    throw new CommandFault("COMMAND_PARAMETER", `there is no parameter "${name}"; ${hint}`, offset);
  }
  return byName;
}

function warnOfUnused(
  used: readonly Slot[],
  fields: Fields,
  { parameters, variables, problems }: CommandSurroundings,
): void {
  const names = new Set([...used, ...variables.flatMap(listSlots)].map(({ parameter }) => parameter));
  for (const { name } of parameters) {
    if (names.has(name)) continue;
    problems.warn(
      "COMMAND_PARAMETER",
      `The parameter "${name}" has no effect: the command does not use {{${name}}}; use it, or take it away`,
      fields.findPlace("command"),
    );
  }
}

/** What the command may do to the values, or without them, that its author may not have thought of. */
function warnOfOptions(
  words: readonly (Word | Choice<Word>)[],
  byName: ReadonlyMap<string, Parameter>,
  fields: Fields,
  { problems }: CommandSurroundings,
): void {
  const all = Array.from(everyPart(words));
  const isText = (at: number, test: RegExp) => {
    const pieces = all[at]?.part.pieces;
    return pieces?.length === 1 && typeof pieces[0] === "string" && test.test(pieces[0]);
  };
  let isPastOptions = false;
  for (const [at, { part, conditions }] of all.entries()) {
    if (isText(at, /^--$/)) isPastOptions = true;
    const [slot] = part.pieces;
    if (slot === undefined || !isSlot(slot)) continue;
    const parameter = byName.get(slot.parameter);
    if (parameter === undefined) continue;
    const afterOption = isText(at - 1, /^-/) && !isText(at - 1, /^--$/);
    const place = fields.placeWithin("command", slot.offset);
    if (afterOption && isOptional(parameter) && !conditions.includes(parameter.name))
      problems.warn(
        "COMMAND_PARAMETER",
        `Without {{${parameter.name}}} the option before it stays alone; write {{#if ${parameter.name}}}--option {{${parameter.name}}}{{/if}} or --option={{${parameter.name}}}`,
        place,
      );
    const isFree = (parameter.type === "string" || parameter.type === "array") && !parameter.isBound;
    if (at > 0 && isFree && !afterOption && !isPastOptions)
      problems.warn(
        "COMMAND_VALUE",
        `A value of {{${parameter.name}}} that begins with "-" is an option to most programs; put -- before it, or give the parameter a pattern or an enum`,
        place,
      );
  }
}
