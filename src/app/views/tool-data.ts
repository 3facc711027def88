import type { Availability, LLMTarget, Quarantine, ToolInfo } from "../../kernel/index.ts";
import type { App } from "../create-app.ts";

export interface ToolDataOptions {
  readonly target?: LLMTarget | undefined;
  readonly availability?: ((tool: ToolInfo) => Availability) | undefined;
}

/** Tools as data: what the definition of an API says of each, or, where none is named, all that haft knows. */
export function toolData(
  { registry }: Pick<App, "registry">,
  tools: readonly ToolInfo[],
  { target, availability }: ToolDataOptions,
): object[] {
  // A tool that can't be used has no definition.
  if (target !== undefined) return tools.flatMap(({ name }) => registry.toLLMTool(name, target) ?? []);
  return tools.map((tool) => {
    const { name, title, category, description, annotations, version } = tool;
    const has = availability?.(tool);
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
  });
}

/** Says why a tool was put aside, and for whom. */
export function describeQuarantine({ name, reason, target }: Quarantine): string {
  return `${name} can't be ${target === undefined ? "used" : `offered to ${target}`}: ${reason}`;
}
