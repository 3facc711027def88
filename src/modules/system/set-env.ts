import { z } from "zod";
import type { Environment } from "../../host/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";

const parameters = z.strictObject({
  key: z.string().describe("Name of the variable"),
  value: z.string().nullable().describe("Its value; null takes back what was set"),
});

/** Null without an environment. */
export function setEnvTool(environment: Environment | undefined): Tool | null {
  if (environment === undefined) return null;
  return defineTool({
    name: "set_env",
    title: "Set an environment variable",
    description:
      "Set an environment variable for the commands that you run later. Variables that decide what a command runs " +
      "(PATH, LD_PRELOAD, NODE_OPTIONS, …) can't be set. Returns {previous}.",
    category: "system",
    parameters,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    check: ({ key, value }, { scope, agentId }) => environment.checkSet({ scope, agentId }, key, value),
    execute: ({ key, value }, context) => ({ previous: environment.set(context, key, value) }),
  });
}
