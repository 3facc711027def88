import type { Tool } from "../../kernel/index.ts";
import type { Secrets } from "../../store/index.ts";
import { secretDeleteTool } from "./secret-delete.ts";
import { secretListTool } from "./secret-list.ts";
import { secretStoreTool } from "./secret-store.ts";

/** What the secret tools work with; without it there are none. */
export interface SecretServices {
  readonly secrets?: SecretKeeper | undefined;
}

/** The part of the store that the tools use: none of them can read a value. */
export type SecretKeeper = Pick<Secrets, "set" | "list" | "delete">;

/** `secret_store`, `secret_list`, `secret_delete`. */
export function secretTools({ secrets }: SecretServices): Tool[] {
  if (secrets === undefined) return [];
  return [secretStoreTool(secrets), secretListTool(secrets), secretDeleteTool(secrets)];
}
