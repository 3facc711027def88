import type { ToolAnnotations } from "./annotations.ts";
import type { ParameterSchema } from "./schema.ts";

/** The seeds' categories. Any other word is a category too. */
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
export type ToolCategory = (typeof toolCategories)[number] | (string & {});

export interface ToolIcon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
}

/** What can be known of a tool. Nothing in it runs anything: a tool is run by a call through the gate alone. */
export interface ToolInfo {
  /** Unique; 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  /** For people; `name` where absent. */
  readonly title?: string;
  /** Shown to the model. */
  readonly description: string;
  readonly category: ToolCategory;
  /** The group it came in. @default its category */
  readonly pack?: string;
  /** Where it comes from: `haft`, `mcp:github`, … Absent: the program that registered it. */
  readonly origin?: string;
  /** Takes the name from a tool that comes before it; only the owner's own tools may. @default false */
  readonly override?: boolean;
  /** A person is asked before every call, whatever rules allow; no answer is remembered. @default false */
  readonly confirm?: boolean;
  readonly parameters: ParameterSchema;
  /** Tools whose results its arguments come from, by name: they are found along with it, and run before it. */
  readonly dependsOn?: readonly string[];
  /** The form of the result, where the tool promises one. */
  readonly output?: ParameterSchema;
  readonly annotations: ToolAnnotations;
  /** Of the code behind the name: an approval and a grant hold for one version. @default "1" */
  readonly version: string;
  /** Characters of output that reach the model; the rest is kept as an artifact. @default the executor's (25,000) */
  readonly maxOutputChars?: number;
  readonly icons?: readonly ToolIcon[];
  /** The secrets it may read with `context.secret`, by name; no others are given to it. */
  readonly secrets?: readonly string[];
  /** Its parameters, by top-level name, whose values are never shown: not in the ledger, in events or in questions. */
  readonly secretParams?: readonly string[];
}

const infos = new WeakMap<ToolInfo, ToolInfo>();

/** What can be known of a tool, as a frozen value of its own that leads nowhere else. The same value for the same tool. */
export function infoOf(tool: ToolInfo): ToolInfo {
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
}: ToolInfo): ToolInfo {
  return {
    name,
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
  };
}
