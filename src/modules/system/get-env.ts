import { z } from "zod";
import type { Environment } from "../../host/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";

const parameters = z.strictObject({ key: z.string().describe("Name of the variable") });

/** Null without an environment. */
export function getEnvTool(environment: Environment | undefined): Tool | null {
  if (environment === undefined) return null;
  return defineTool({
    name: "get_env",
    title: "Read an environment variable",
    description:
      "Read an environment variable as commands will find it. Only common names (PATH, HOME, LANG, …) and those set " +
      "by set_env can be read, never secrets. Returns {value}, null if it is not set.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    execute: ({ key }, context) => ({ value: environment.get(context, key) }),
  });
}
