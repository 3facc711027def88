import { type JsonSchema } from "../base/index.ts";
import type { Dialect } from "./dialects.ts";
import type { Schema } from "./expand.ts";
import type { Restore } from "./restore.ts";

/** A schema in the form of a dialect. */
export interface Rewritten {
  readonly schema: JsonSchema;
  /** Undefined where values are the same in both forms. */
  readonly restore?: Restore | undefined;
  /** The value travels as a string of JSON. */
  readonly isJsonText?: true;
}

export interface Description {
  readonly types?: readonly string[] | undefined;
  /** Words for what the caller knows to be lost. */
  readonly extra?: readonly string[];
  /** `extra` says all of it. */
  readonly isWhole?: boolean;
  /** No keyword will stand in the rewritten schema. */
  readonly keepsNothing?: boolean;
}

/** What the forms of objects, arrays and unions need of each other. */
export interface Rewriter {
  readonly dialect: Dialect;
  /** `depth` counts the objects and arrays around. */
  rewrite(schema: Schema, depth: number): Rewritten;
  /** A value of any type, or an object of any keys. */
  open(schema: JsonSchema): Rewritten;
  /** The author's words and, in brackets, what no keyword of the rewritten schema says. */
  describe(schema: JsonSchema, options?: Description): { description?: string };
  /** The limits and remarks that stay as keywords. */
  keep(schema: JsonSchema, types?: readonly string[]): JsonSchema;
  /** What was said of a union, said of its only alternative. */
  withRemarks(schema: JsonSchema, remarks: JsonSchema): JsonSchema;
  withNull(rewritten: Rewritten): Rewritten;
}
