import { getErrorMessage, isRecord } from "../base/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { Fields } from "./fields.ts";

/** A call, and what has to come of it. */
export interface Example {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: Expectation;
  /** The tool that is called, where one file makes several. */
  readonly tool: string | undefined;
  /** The line of its file that it stands in, from 1. */
  readonly line: number;
}

/** All that is said has to hold. Without `exitCode` and `code` the call has to succeed. */
export interface Expectation {
  /** The whole output, without the line break at its end. */
  readonly output: string | undefined;
  /** Pieces of the output, or of the error. */
  readonly contains: readonly string[];
  /** A regular expression that is found in it. */
  readonly matches: string | undefined;
  readonly exitCode: number | undefined;
  /** The code that it has to fail with. */
  readonly code: string | undefined;
}

const mostExamples = 50;

/** @param tools names of the tools that the file makes, where those can be several: then each example says which one it calls */
export function readExamples(fields: Fields, tools: readonly string[] = []): readonly Example[] {
  return fields.objects("examples", mostExamples).map((one, at) => {
    const name = one.text("name", { most: 200 }) ?? `example ${at + 1}`;
    const input = one.raw("input") ?? {};
    if (!isRecord(input)) one.invalid("input", "it must be an object with the arguments");
    const expect = readExpectation(one.object("expect"));
    const tool = tools.length === 0 ? undefined : one.oneOf("tool", tools);
    if (tools.length > 1 && !one.has("tool")) one.missing("tool");
    one.refuseOthers();
    const { line } = one.findPlace("name");
    return { name, input: isRecord(input) ? input : {}, expect, tool, line };
  });
}

function readExpectation(fields: Fields | undefined): Expectation {
  const expectation = {
    output: fields?.text("output", { most: 100_000 }),
    contains: fields?.texts("contains", { mostItems: 20, most: 10_000 }) ?? [],
    matches: fields?.text("matches", { most: 1000 }),
    exitCode: fields?.number("exitCode", { least: 0, most: 255 }),
    code: fields?.text("code", { most: 100 }),
  };
  fields?.refuseOthers();
  if (fields !== undefined && expectation.matches !== undefined) {
    try {
      compileJsonSchema({ type: "string", pattern: expectation.matches });
    } catch (error) {
      fields.invalid("matches", getErrorMessage(error));
    }
  }
  return expectation;
}
