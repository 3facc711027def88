import type { ToolRegistry } from "./registry.ts";
import type { NamedCall } from "./tool.ts";

/** A call of a call of a call is somebody's joke. */
const mostLayers = 4;

/**
 * The call that is meant: where a tool only stands for a call of another, as `call_tool` does, that one. What is
 * left wrapped after four layers stays so, and is refused for its arguments.
 */
export function unwrapCall(registry: Pick<ToolRegistry, "get">, name: string, params: unknown): NamedCall {
  let call: NamedCall = { name, params };
  for (let layer = 0; layer < mostLayers; layer++) {
    const inner = registry.get(call.name)?.unwrap?.(call.params);
    if (inner === undefined) return call;
    call = { ...call, ...inner };
  }
  return call;
}
