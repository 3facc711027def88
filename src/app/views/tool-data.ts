import type { JsonSchema } from "../../base/index.ts";
import type { Availability, LLMTarget, Quarantine, ToolAnnotations, ToolInfo } from "../../kernel/index.ts";
import type { App } from "../create-app.ts";

export interface ToolDataOptions {
  readonly target?: LLMTarget | undefined;
  readonly availability?: ((tool: ToolInfo) => Availability) | undefined;
}

/** A tool with all that haft knows of it: the data of `haft tools show --json`. */
export interface ToolData {
  readonly name: string;
  readonly title?: string;
  readonly category: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly version: string;
  /** The JSON Schema of its arguments; undefined for a tool that can't be used. */
  readonly parameters: JsonSchema | undefined;
  readonly shown?: boolean;
  readonly callable?: boolean;
  readonly allowed?: boolean;
}

/** Tools as data: what the definition of an API says of each, or, where none is named, all that haft knows. */
export function toolData(
  { registry }: Pick<App, "registry">,
  tools: readonly ToolInfo[],
  { target, availability }: ToolDataOptions,
): object[] {
  // A tool that can't be used has no definition.
  if (target !== undefined) return tools.flatMap(({ name }) => registry.toLLMTool(name, target) ?? []);
  return tools.map((tool) => describeTool({ registry }, tool, availability?.(tool)));
}

/** All that haft knows of a tool. */
export function describeTool(
  { registry }: Pick<App, "registry">,
  { name, title, category, description, annotations, version }: ToolInfo,
  has?: Availability,
): ToolData {
  return {
    name,
    ...(title !== undefined && { title }),
    category,
    description,
    annotations,
    version,
    parameters: registry.getSchema(name),
    ...(has !== undefined && { shown: has.shown.is, callable: has.callable.is, allowed: has.allowed.is }),
  };
}

/** Says why a tool was put aside, and for whom. */
export function describeQuarantine({ name, reason, target }: Quarantine): string {
  return `${name} can't be ${target === undefined ? "used" : `offered to ${target}`}: ${reason}`;
}
