import type { Decision, Effect, PermissionPolicy, Tool, Trust } from "../../src/kernel/index.ts";

const anyTool: Tool = {
  name: "any",
  description: "any",
  category: "file",
  parameters: {},
  annotations: {},
  version: "1",
  execute: () => "",
};

/** What a policy decides of one effect within the bounds of its call. */
export function decideEffect(
  policy: PermissionPolicy,
  kind: Effect["kind"],
  target: string,
  trust: Trust = "trusted",
): Decision {
  const effects = [{ kind, target, within: true }];
  return policy.decide({ tool: anyTool, params: {}, effects, context: {}, trust }).decision;
}
