import type { Call, Method, Reply } from "../calls/call.ts";
import { callTool } from "../calls/tool-call.ts";
import type { ServerCore } from "../core.ts";
import { readCompletion } from "../offers/completion.ts";
import { completePrompt, getPrompt, listPrompts } from "../offers/prompts.ts";
import { completeResource, listResources, listTemplates, readResource } from "../offers/resources.ts";

/** The methods that both eras know. */
const methods: Readonly<Record<string, Method<ServerCore>>> = {
  "tools/list": listTools,
  "tools/call": callTool,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "completion/complete": complete,
};

/** Undefined for a method that this server does not offer. */
export function findMethod(core: ServerCore, name: string): Method<ServerCore> | undefined {
  const offered = name.startsWith("resources/")
    ? core.resources !== undefined
    : name.startsWith("prompts/")
      ? core.prompts !== undefined
      : name !== "completion/complete" || core.canComplete;
  return offered && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

async function listTools({ tools, getToolset, options }: ServerCore, call: Call): Promise<Reply> {
  await options.arriving?.();
  const shown = call.interaction?.shown;
  return { members: tools.page(call.params, call.modern, { toolset: getToolset(call), shown }) };
}

function complete(core: ServerCore, call: Call): Promise<Reply> {
  const { kind, request } = readCompletion(call);
  return kind === "prompt" ? completePrompt(core, call, request) : completeResource(core, call, request);
}
