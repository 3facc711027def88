import { callBlock, messageEnd, textBlock, type WireName } from "./model-wires.ts";
import { type ProviderTurn, toEvents } from "./scripted-provider.ts";

/** The events of one answer, as one of the two APIs sends them. */
export function toWire(provider: WireName, turn: ProviderTurn): readonly unknown[] {
  return provider === "anthropic" ? toAnthropic(turn) : toEvents(turn);
}

function toAnthropic({ text = "", calls = [], inputTokens = 100 }: ProviderTurn): readonly unknown[] {
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  return [
    { type: "message_start", message: { id: "m", model: "claude", role: "assistant", usage } },
    ...(text === "" ? [] : textBlock(text)),
    ...calls.flatMap(({ name, input }, at) =>
      callBlock(at + 1, `toolu_${at}`, name, typeof input === "string" ? input : JSON.stringify(input)),
    ),
    ...messageEnd(calls.length > 0 ? "tool_use" : "end_turn"),
  ];
}
