import { hash } from "node:crypto";
import type { ToolAnnotations } from "../../../kernel/index.ts";
import type { McpServerConfig } from "../config.ts";
import { type ServerTool, toDefinitionText } from "./server-tool.ts";

/** Fingerprint of a definition: it differs as soon as anything that haft keeps of the definition does. */
function fingerprintDefinition(tool: ServerTool): string {
  return hash("sha256", toDefinitionText(tool)).slice(0, 32);
}

const readOnlyTools = new WeakMap<readonly ServerTool[], Readonly<Record<string, string>>>();

/** Tools that the server calls read-only, each with the fingerprint of its definition; worked out once for a list. */
export function listReadOnly(tools: readonly ServerTool[]): Readonly<Record<string, string>> {
  let claimed = readOnlyTools.get(tools);
  if (claimed === undefined) {
    claimed = Object.fromEntries(
      tools.filter(claimsReadOnly).map((tool) => [tool.name, fingerprintDefinition(tool)] as const),
    );
    readOnlyTools.set(tools, claimed);
  }
  return claimed;
}

/** Whether the owner believes the server that this tool, as it is defined now, only reads. */
function isBelievedReadOnly({ trust, pin }: McpServerConfig, tool: ServerTool): boolean {
  if (!claimsReadOnly(tool)) return false;
  const { annotations = false, readOnly = false } = trust ?? {};
  if (annotations) return true;
  if (typeof readOnly === "object")
    return Object.hasOwn(readOnly, tool.name) && readOnly[tool.name] === fingerprintDefinition(tool);
  // A claim that may change unseen is not the one that the owner said yes to.
  return readOnly && pin !== false;
}

/** Annotations of a tool as far as its owner believes the server: nothing, `readOnly` alone, or all hints. */
export function getBelievedAnnotations(server: McpServerConfig, tool: ServerTool): ToolAnnotations {
  if (server.trust?.annotations !== true) return isBelievedReadOnly(server, tool) ? { readOnly: true } : {};
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  return {
    ...(typeof readOnlyHint === "boolean" && { readOnly: readOnlyHint }),
    ...(typeof destructiveHint === "boolean" && { destructive: destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotent: idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorld: openWorldHint }),
  };
}

function claimsReadOnly({ annotations }: ServerTool): boolean {
  return annotations?.["readOnlyHint"] === true;
}
