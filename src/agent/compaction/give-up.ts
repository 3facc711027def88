import { countTokens } from "../../model/index.ts";
import type { Prefix } from "../loop/journal.ts";
import type { GiveUpPlan, Room } from "./plan.ts";
import { findGoal } from "./progress.ts";

/** Why a conversation has no room left. */
export interface GiveUp {
  /** The id of the model. */
  readonly model: string;
  readonly plan: GiveUpPlan;
  readonly room: Room;
  readonly prefix: Prefix | undefined;
  /** The message of the provider's refusal, if it refused a request as too long. */
  readonly refusal?: string | undefined;
}

/** Tells a person what takes the room, and what to do about it. */
export function describeGiveUp({ model, plan, room, prefix, refusal }: GiveUp): string {
  const bill = listBill(plan, prefix)
    .filter(([, tokens]) => tokens > 0)
    .map(([what, tokens]) => `${what} ${tokens.toLocaleString("en")}`)
    .join(", ");
  const limit = room.limit.toLocaleString("en");
  const counted =
    plan.counted === undefined
      ? `A request may have ${limit} tokens.`
      : `After it was made shorter, a request may have ${findGoal(room).toLocaleString("en")} of ${limit} tokens, and its provider counted ${plan.counted.toLocaleString("en")}.`;
  return [
    `The conversation has no room left in ${model}.`,
    `What takes it, in tokens by our estimate: ${bill}.`,
    counted,
    ...(refusal === undefined ? [] : [`Its provider refused the last one: ${refusal}.`]),
    `Begin a new conversation, give the agent fewer tools, or use a model with a larger window; \`contextTokens\` of a model says how large it is.`,
  ].join(" ");
}

function listBill(
  { entryTokens, unreadTokens }: GiveUpPlan,
  prefix: Prefix | undefined,
): readonly (readonly [what: string, tokens: number])[] {
  const { system = [], tools = [] } = prefix ?? {};
  const count = (value: readonly unknown[]) => (value.length === 0 ? 0 : countTokens(JSON.stringify(value)));
  return [
    ["tools", count(tools)],
    ["instructions", count(system.filter(({ about }) => about !== "memory"))],
    ["memory", count(system.filter(({ about, text }) => about === "memory" && text !== ""))],
    ["the newest message", unreadTokens],
    ["the other entries", entryTokens - unreadTokens],
  ];
}
