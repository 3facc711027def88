import type { Call, Reply } from "./call.ts";
import { type CompletionRequest, completionReply } from "./completion.ts";
import { toKnownBlock } from "./content.ts";
import type { ServerCore } from "./core.ts";
import { writeMembers } from "./message.ts";
import { cutPage } from "./paging.ts";
import { freshness, readArguments, toRequestContext } from "./resources.ts";
import { invalidParams } from "./rpc-error.ts";

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
