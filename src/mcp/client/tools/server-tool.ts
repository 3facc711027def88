import { canonicalJson, isRecord } from "../../../base/index.ts";

/** One tool as a server defines it. Every text in it is a stranger's. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What haft keeps of a definition: what it shows, checks or decides by. The rest is never looked at. */
export function toServerTool(listed: unknown): ServerTool | undefined {
  if (!isRecord(listed)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = listed;
  if (typeof name !== "string" || name === "" || !isRecord(inputSchema)) return undefined;
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema,
    ...(isRecord(outputSchema) && { outputSchema }),
    ...(isRecord(annotations) && { annotations }),
  };
}

const texts = new WeakMap<ServerTool, string>();

/** Canonical JSON of a definition, by which it is kept, told apart and compared; written once for each. */
export function toDefinitionText(tool: ServerTool): string {
  let text = texts.get(tool);
  if (text === undefined) {
    text = canonicalJson(tool);
    texts.set(tool, text);
  }
  return text;
}

/** The definition of which {@link toDefinitionText} wrote `text`. */
export function readDefinitionText(text: string): ServerTool {
  const tool = JSON.parse(text) as ServerTool;
  texts.set(tool, text);
  return tool;
}
