import { isRecord } from "../base/index.ts";
import type { ToolRegistry } from "../kernel/index.ts";
import type { ChatTool, ModelFacts } from "../model/index.ts";

/** Tools as a model is shown them, in its dialect. A tool that can't be written in it is left out. */
export function describeTools(
  registry: Pick<ToolRegistry, "toLLMTool">,
  names: readonly string[],
  { dialect }: Pick<ModelFacts, "dialect">,
): readonly ChatTool[] {
  return names.flatMap((name) => {
    const definition = registry.toLLMTool(name, dialect);
    return definition === undefined ? [] : [{ name, ...readDefinition(definition) }];
  });
}

/** Every dialect has a description and a schema, each under its own name. */
function readDefinition(definition: object): Omit<ChatTool, "name"> {
  const body: object =
    "function" in definition && isRecord(definition.function) ? definition.function : definition;
  const {
    description,
    parameters,
    input_schema: schema = parameters,
  } = body as Readonly<Record<string, unknown>>;
  return {
    description: typeof description === "string" ? description : "",
    parameters: isRecord(schema) ? schema : { type: "object", properties: {} },
  };
}
