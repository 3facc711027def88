import { createHash } from "node:crypto";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ChatModelSettings } from "../provider-entry.ts";

/** A family of models whose API, or whose template on a server, takes messages in a form of its own. */
type Template = "mistral" | "kimi";

/** Parts of the names of models, whoever serves them. A wrong guess does no harm: other APIs take these forms too. */
const families: readonly (readonly [Template, RegExp])[] = [
  ["mistral", /(mis|mix|minis|codes|devs|magis|pix|vox|maths)tral/i],
  ["kimi", /kimi|moonshot/i],
];

/** The family of a model, by its setting or else by its name. */
export function findTemplate({
  model,
  template,
}: Pick<ChatModelSettings, "model" | "template">): Template | undefined {
  if (template !== undefined) return template === "any" ? undefined : template;
  return families.find(([, name]) => name.test(model))?.[0];
}

/**
 * Messages as a family of models takes them. The beginning of a longer conversation comes out the same, so that a
 * provider's cache holds.
 *
 * - `mistral`: ids of calls have nine letters and digits, an answer comes between results and the user's message, no
 *   two messages of the user follow each other, and thoughts are left out.
 * - `kimi`: ids of calls are `functions.<tool>:<number>`, numbered from 0 through the conversation.
 */
export function fitPrompt(
  prompt: readonly LanguageModelV4Message[],
  template: Template | undefined,
): LanguageModelV4Message[] {
  switch (template) {
    case undefined:
      return [...prompt];
    case "mistral":
      return alternate(renameCalls(withoutThoughts(prompt), nineCharacters()));
    case "kimi":
      return renameCalls(prompt, numbered());
    default:
      return template satisfies never;
  }
}

/** Chooses the id of a call: never the same for two ids. */
type ChooseId = (id: string, name: string) => string;

function renameCalls(prompt: readonly LanguageModelV4Message[], choose: ChooseId): LanguageModelV4Message[] {
  const chosen = new Map<string, string>();
  const rename = <Part extends { readonly toolCallId: string; readonly toolName: string }>(
    part: Part,
  ): Part => {
    const { toolCallId: id, toolName } = part;
    let toolCallId = chosen.get(id);
    if (toolCallId === undefined) chosen.set(id, (toolCallId = choose(id, toolName)));
    return { ...part, toolCallId };
  };
  return prompt.map((message) => {
    if (message.role === "assistant")
      return {
        ...message,
        content: message.content.map((part) => (part.type === "tool-call" ? rename(part) : part)),
      };
    if (message.role === "tool")
      return {
        ...message,
        content: message.content.map((part) => (part.type === "tool-result" ? rename(part) : part)),
      };
    return message;
  });
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const nine = /^[a-zA-Z0-9]{9}$/;

/** Keeps an id of nine letters and digits, and makes one of a digest of any other. */
function nineCharacters(): ChooseId {
  const used = new Set<string>();
  return (id) => {
    let chosen = id;
    for (let attempt = 0; !nine.test(chosen) || used.has(chosen); attempt++) {
      const digest = createHash("sha256").update(`${attempt} ${id}`).digest();
      chosen = Array.from(digest.subarray(0, 9), (byte) => alphabet[byte % alphabet.length]).join("");
    }
    used.add(chosen);
    return chosen;
  };
}

function numbered(): ChooseId {
  let count = 0;
  return (_, name) => `functions.${name}:${count++}`;
}

function withoutThoughts(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return prompt.flatMap((message): LanguageModelV4Message[] => {
    if (message.role !== "assistant") return [message];
    const content = message.content.filter(({ type }) => type !== "reasoning");
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** An answer that says nothing, where one is required. */
const bridge: LanguageModelV4Message = { role: "assistant", content: [{ type: "text", text: "…" }] };

/** Lets the model answer between results and the user's message, and the user write one message at a time. */
function alternate(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const made: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const before = made.at(-1);
    if (message.role !== "user") made.push(message);
    else if (before?.role === "user")
      made[made.length - 1] = { ...before, content: [...before.content, ...message.content] };
    else if (before?.role === "tool") made.push(bridge, message);
    else made.push(message);
  }
  return made;
}
