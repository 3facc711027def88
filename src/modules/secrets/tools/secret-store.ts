import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { checkSecret } from "../store/check-secret.ts";
import type { SecretKeeper } from "./secret-keeper.ts";

const parameters = z.strictObject({
  key: z.string().describe("Its name: letters, digits, _ . and -"),
  value: z.string().describe("The value, at least 8 characters; nobody is shown it again"),
});

export function secretStoreTool(secrets: SecretKeeper): Tool {
  return defineTool({
    name: "secret_store",
    title: "Store a secret",
    description:
      "Store a secret such as an API key, or replace one, encrypted. Only tools that declare its name are given it; " +
      "it can't be read back, and is taken out of every output. Returns {stored}.",
    category: "system",
    parameters,
    secretParams: ["value"],
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    check: ({ key, value }) => checkSecret(key, value),
    async execute({ key, value }, { scope }) {
      const { name } = await secrets.set(scope, key, value);
      return { stored: name };
    },
  });
}
