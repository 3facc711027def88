import type { Tool } from "../../../kernel/index.ts";
import { secretDeleteTool } from "./secret-delete.ts";
import type { SecretKeeper } from "./secret-keeper.ts";
import { secretListTool } from "./secret-list.ts";
import { secretStoreTool } from "./secret-store.ts";

/** What the secret tools work with; without it there are none. */
export interface SecretServices {
  readonly secrets?: SecretKeeper | undefined;
}

/** `secret_store`, `secret_list`, `secret_delete`. */
export function secretTools({ secrets }: SecretServices): Tool[] {
  if (secrets === undefined) return [];
  return [secretStoreTool(secrets), secretListTool(secrets), secretDeleteTool(secrets)];
}
