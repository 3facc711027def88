import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import type { SecretKeeper } from "./secret-keeper.ts";

const parameters = z.strictObject({ key: z.string().describe("Its name, as secret_list has it") });

export function secretDeleteTool(secrets: SecretKeeper): Tool {
  return defineTool({
    name: "secret_delete",
    title: "Delete a secret",
    description: "Delete a stored secret for good. Returns {deleted}: false where there was none.",
    category: "system",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    execute: async ({ key }, { scope }) => ({ deleted: await secrets.delete(scope, key) }),
  });
}
