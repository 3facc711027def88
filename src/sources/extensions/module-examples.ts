import { isRecord } from "../../base/index.ts";
import { type Example, readExamples } from "../examples.ts";
import { Fields, type FieldsDocument } from "../fields.ts";
import type { DocumentPath, Place } from "../placed-document.ts";
import { type FileProblem, Problems } from "../problems.ts";

/** The `meta.examples` of one module, and the tools that they call. */
export interface ModuleExamples {
  /** The file of the module. */
  readonly where: string;
  /** The name of its extension. */
  readonly extension: string;
  /** Names of the tools that the module makes. */
  readonly tools: readonly string[];
  readonly examples: readonly Example[];
  /** What is wrong with the examples. */
  readonly problems: readonly FileProblem[];
}

export interface GivenExamples extends Pick<ModuleExamples, "where" | "extension" | "tools"> {
  readonly text: string;
  /** What the worker sent: data of the extension, of any form. */
  readonly given: unknown;
}

/** Checks examples as those of tools in Markdown are checked. */
export function readModuleExamples({ text, given, ...module }: GivenExamples): ModuleExamples {
  const problems = new Problems(module.where);
  const fields = new Fields(placeInModule(text, { examples: given }), [], problems);
  const examples = given === undefined ? [] : readExamples(fields, module.tools);
  return { ...module, examples, problems: problems.list() };
}

/**
 * Values that a module computed, with the lines that its text most likely has them on: an example is found by its name, all
 * else by the word `examples`.
 */
function placeInModule(text: string, value: Readonly<Record<string, unknown>>): FieldsDocument {
  const lines = text.split("\n");
  const findLine = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line)) + 1;
  const findPlace = ([key, at]: DocumentPath): Place => {
    const list: unknown = typeof key === "string" ? value[key] : undefined;
    const one: unknown = Array.isArray(list) && typeof at === "number" ? list[at] : undefined;
    const name = isRecord(one) && typeof one["name"] === "string" ? one["name"] : undefined;
    const named = name === undefined ? -1 : lines.findIndex((line) => line.includes(JSON.stringify(name)));
    return { line: Math.max(named + 1 || findLine(/\bexamples\b\s*[:=]/), 1), column: 1 };
  };
  return { value, findPlace, placeOfKey: findPlace, placeWithin: findPlace };
}
