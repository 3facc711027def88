import type { Call, Reply } from "../calls/call.ts";
import { toKnownBlock } from "../calls/content.ts";
import type { ServerCore } from "../core.ts";
import { writeMembers } from "../messages/message.ts";
import { cutPage } from "../messages/paging.ts";
import { invalidParams } from "../messages/rpc-error.ts";
import { type CompletionRequest, completionReply } from "./completion.ts";
import { freshness, readArguments, toRequestContext } from "./resources.ts";

export async function listPrompts({ prompts, pageSize }: ServerCore, call: Call): Promise<Reply> {
  const all = (await prompts?.list(toRequestContext(call))) ?? [];
  const { items, ...more } = cutPage(all, call.params, pageSize);
  return { members: writeMembers({ prompts: items, ...more, ...freshness(call, 0) }) };
}

export async function getPrompt({ prompts }: ServerCore, call: Call): Promise<Reply> {
  const { name } = call.params;
  if (typeof name !== "string") throw invalidParams('Cannot find the prompt: "name" must be a string');
  const args = readArguments(call);
  const context = toRequestContext(call);
  const info = (await prompts?.list(context))?.find((prompt) => prompt.name === name);
  const missing = info?.arguments?.find(
    (argument) => argument.required === true && args[argument.name] === undefined,
  );
  if (missing !== undefined) {
    throw invalidParams(`Cannot make prompt "${name}": its argument "${missing.name}" is missing`);
  }
  const result = info === undefined ? undefined : await prompts?.get(name, args, context);
  if (result === undefined) {
    throw invalidParams(`Cannot find prompt "${name.slice(0, 200)}"; list the prompts for the names`, {
      name,
    });
  }
  const messages = result.messages.map(({ role, content }) => ({
    role,
    content: toKnownBlock(content, call.client.protocolVersion),
  }));
  return { members: writeMembers({ ...result, messages }) };
}

export async function completePrompt(
  { prompts }: ServerCore,
  call: Call,
  request: CompletionRequest,
): Promise<Reply> {
  return completionReply((await prompts?.complete?.(request, toRequestContext(call))) ?? []);
}
