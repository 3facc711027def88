import { isRecord } from "../../../base/index.ts";

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
