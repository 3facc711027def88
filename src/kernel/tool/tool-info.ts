import type { ToolAnnotations } from "./annotations.ts";
import type { ParameterSchema } from "./schema.ts";

/** Common categories; any other word is valid too. */
export const toolCategories = [
  "system",
  "file",
  "network",
  "data",
  "memory",
  "code",
  "mcp",
  "custom",
] as const;

/** One of {@link toolCategories}, or any other word. */
export type ToolCategory = (typeof toolCategories)[number] | (string & {});

/** A picture for the tool: an `https:` or `data:` address, with sizes such as `48x48`. */
export interface ToolIcon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
}

/** Description of a tool without anything that can run: a tool runs only through the gate. */
export interface ToolInfo {
  /** Unique; 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  /** Other names by which a call finds it where no tool has that name; nothing shows them. @default none */
  readonly aliases?: readonly string[];
  /** Name shown to people. @default `name` */
  readonly title?: string;
  /** Shown to the model. */
  readonly description: string;
  readonly category: ToolCategory;
  /** Named group that the tool belongs to. @default its category */
  readonly pack?: string;
  /** Source of the tool: `haft`, `mcp:github`, … Absent: the program that registered it. */
  readonly origin?: string;
  /** Replaces an earlier tool of the same name; reserved for the owner's own tools. @default false */
  readonly override?: boolean;
  /** A person is asked before every call, whatever rules allow; no answer is remembered. @default false */
  readonly confirm?: boolean;
  readonly parameters: ParameterSchema;
  /** Names of tools whose results provide its arguments; they are found together with it and run before it. */
  readonly dependsOn?: readonly string[];
  /** Schema of the result, if the tool guarantees one. */
  readonly output?: ParameterSchema;
  readonly annotations: ToolAnnotations;
  /** Version of the code behind the name: approvals and grants hold for one version. @default "1" */
  readonly version: string;
  /** Characters of output that reach the model; the rest is kept as an artifact. @default the executor's (25,000) */
  readonly maxOutputChars?: number;
  readonly icons?: readonly ToolIcon[];
  /** Names of the only secrets that it may read with `context.secret`. */
  readonly secrets?: readonly string[];
  /** Names of top-level parameters whose values never appear in the ledger, in events or in questions. */
  readonly secretParams?: readonly string[];
  /**
   * What to check before a call with an unknown outcome is repeated, in words for a model: "read the file". Only for
   * tools that are neither `readOnly` nor `idempotent`; calls of other tools are repeated without a check. @default
   * none
   */
  readonly verify?: string;
  /**
   * The tool waits or polls: equal calls are no sign of an agent that goes in circles, and each of them runs it, even
   * at the same moment. @default false
   */
  readonly mayRepeat?: true;
}

const infos = new WeakMap<ToolInfo, ToolInfo>();

/**
 * Returns the frozen description of a tool, without a path to the tool itself; always the same value for the same tool.
 *
 * @example
 * ```ts
 * const tool = defineTool({
 *   name: "hi",
 *   description: "Say hi.",
 *   parameters: z.object({}),
 *   execute: () => "hi",
 * });
 * "execute" in toToolInfo(tool); // → false
 * toToolInfo(tool) === toToolInfo(tool); // → true
 * ```
 */
export function toToolInfo(tool: ToolInfo): ToolInfo {
  let info = infos.get(tool);
  if (info === undefined) {
    info = Object.freeze(pickInfo(tool));
    infos.set(tool, info);
    infos.set(info, info);
  }
  return info;
}

function pickInfo({
  name,
  aliases,
  title,
  description,
  category,
  pack,
  origin,
  override,
  confirm,
  parameters,
  dependsOn,
  output,
  annotations,
  version,
  maxOutputChars,
  icons,
  secrets,
  secretParams,
  verify,
  mayRepeat,
}: ToolInfo): ToolInfo {
  return {
    name,
    ...(aliases !== undefined && { aliases }),
    ...(title !== undefined && { title }),
    description,
    category,
    ...(pack !== undefined && { pack }),
    ...(origin !== undefined && { origin }),
    ...(override !== undefined && { override }),
    ...(confirm !== undefined && { confirm }),
    parameters,
    ...(dependsOn !== undefined && { dependsOn }),
    ...(output !== undefined && { output }),
    annotations,
    version,
    ...(maxOutputChars !== undefined && { maxOutputChars }),
    ...(icons !== undefined && { icons }),
    ...(secrets !== undefined && { secrets }),
    ...(secretParams !== undefined && { secretParams }),
    ...(verify !== undefined && { verify }),
    ...(mayRepeat !== undefined && { mayRepeat }),
  };
}
