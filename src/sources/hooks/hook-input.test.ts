import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type HookCall } from "../../kernel/index.ts";
import type { HookDefinition } from "./hook-definition.ts";
import { toInput, withSecrets } from "./hook-input.ts";

const chain = defineTool({
  name: "chain",
  description: "Chain.",
  parameters: z.object({}),
  composes: () => [],
  execute: () => "done",
});

const makeCall = (params: unknown, shownParams: unknown): HookCall => ({
  callId: "c1",
  tool: chain,
  params,
  shownParams,
  context: {},
  signal: new AbortController().signal,
});

test("a hook reads of a call that makes others what may be shown, and can't change what it has not seen", () => {
  const call = makeCall({ steps: [{ value: "the secret" }] }, { steps: [{ value: "[secret]" }] });
  const { input } = toInput({ id: "h", type: "pre_tool" } as HookDefinition, call);
  expect(input).toEqual(call.shownParams);
  expect(() => withSecrets(input, call)).toThrow('the calls of "chain" have secret arguments');
  const params = { steps: [] };
  expect(withSecrets({ steps: [1] }, makeCall(params, params))).toEqual({ steps: [1] });
});
