import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import type { SecretKeeper } from "./secret-keeper.ts";

export function secretListTool(secrets: SecretKeeper): Tool {
  return defineTool({
    name: "secret_list",
    title: "List the secrets",
    description: "List the names of the stored secrets and when each was last changed, never their values.",
    category: "system",
    parameters: z.strictObject({}),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async execute(_params, { scope }) {
      const listed = await secrets.list(scope);
      return {
        secrets: listed.map(({ name, changedAt }) => ({
          key: name,
          changed: new Date(changedAt).toISOString(),
        })),
      };
    },
  });
}
