import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { SecretError } from "../store/errors.ts";
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
    async check({ key }, { scope }) {
      const stored = await secrets.list(scope);
      if (!stored.some(({ name }) => name === key)) throw noSecret(key);
    },
    execute: async ({ key }, { scope }) => ({ deleted: await secrets.delete(scope, key) }),
  });
}

function noSecret(key: string): SecretError {
  return new SecretError(
    "SECRET_UNKNOWN",
    `Cannot delete the secret "${key.slice(0, 128)}": nothing is stored under that name; secret_list has the names`,
  );
}
