import type { FoundCall } from "../call/call.ts";
import { ToolCancelledError, ToolError } from "../errors.ts";

/** The source from which the executor gets the secrets that tools declare. */
export interface SecretSource {
  /** Undefined where nothing is stored under that name in that scope. */
  get(scope: string, name: string): Promise<string | undefined>;
}

/**
 * A secret for the tool of a call, if it declares it; the redactor learns it before the tool has it.
 *
 * @throws {ToolError} SECRET_UNDECLARED, SECRET_NOT_FOUND.
 */
export async function readSecret(
  call: FoundCall,
  name: string,
  source: SecretSource | undefined,
): Promise<string> {
  const { toolName, scope } = call;
  if (call.over) throw new ToolCancelledError(toolName);
  if (call.tool.secrets?.includes(name) !== true) {
    throw new ToolError(
      toolName,
      "SECRET_UNDECLARED",
      `Cannot give "${toolName}" the secret "${name}": it does not declare it; add the name to the tool's \`secrets\``,
    );
  }
  const value = await source?.get(scope, name);
  if (value === undefined) {
    throw new ToolError(
      toolName,
      "SECRET_NOT_FOUND",
      `Cannot give "${toolName}" the secret "${name}": ${source === undefined ? "there is no secret store here" : `none of that name is stored; store it with \`haft secret set ${name}\``}`,
    );
  }
  call.redact?.learn?.(name, value);
  return value;
}
