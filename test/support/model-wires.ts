// Pieces of what model APIs stream: those of OpenAI's kind first, then those of Anthropic.
export type WireName = "openai-compatible" | "anthropic";

const chunk = (delta: object, rest: object = {}): object => ({
  choices: [{ index: 0, delta, ...rest }],
});
export const stopped = (reason: string): object => chunk({}, { finish_reason: reason });
const makeCall = (index: number, id: string, name: string, input: string): object =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }] });
const makeInput = (index: number, input: string): object =>
  chunk({ tool_calls: [{ index, function: { arguments: input } }] });

export const started: object = {
  type: "message_start",
  message: {
    id: "m",
    model: "claude",
    role: "assistant",
    usage: {
      input_tokens: 10,
      output_tokens: 1,
      cache_read_input_tokens: 90,
      cache_creation_input_tokens: 7,
    },
  },
};
export const beginBlock = (index: number, block: object): object => ({
  type: "content_block_start",
  index,
  content_block: block,
});
export const addToBlock = (index: number, delta: object): object => ({
  type: "content_block_delta",
  index,
  delta,
});
export const textBlock = (text: string): readonly object[] => [
  beginBlock(0, { type: "text", text: "" }),
  addToBlock(0, { type: "text_delta", text }),
  { type: "content_block_stop", index: 0 },
];
export const callBlock = (
  index: number,
  id: string,
  name: string,
  ...inputs: string[]
): readonly object[] => [
  beginBlock(index, { type: "tool_use", id, name, input: {} }),
  ...inputs.map((partial) => addToBlock(index, { type: "input_json_delta", partial_json: partial })),
  { type: "content_block_stop", index },
];
export const messageEnd = (reason: string): readonly object[] => [
  {
    type: "message_delta",
    delta: { stop_reason: reason },
    usage: { output_tokens: 12, output_tokens_details: { thinking_tokens: 5 } },
  },
  { type: "message_stop" },
];

/** The same answers, as each of the two APIs sends them. */
const wires: Readonly<Record<WireName, Readonly<Record<string, readonly unknown[]>>>> = {
  "openai-compatible": {
    text: [chunk({ role: "assistant", content: "" }), chunk({ content: "Hel" }), chunk({ content: "lo" })],
    calls: [
      makeCall(0, "c1", "read", '{"path"'),
      makeInput(0, ': "a"}'),
      makeCall(1, "c2", "list", ""),
      makeInput(1, "{}"),
    ],
    cutCall: [makeCall(0, "c1", "read", '{"path": "a')],
    end: [stopped("stop"), "[DONE]"],
    endCalls: [stopped("tool_calls"), "[DONE]"],
    endLength: [stopped("length"), "[DONE]"],
    endRefused: [stopped("content_filter"), "[DONE]"],
    fault: [{ error: { message: "The server is overloaded", type: "overloaded_error", code: 529 } }],
  },
  anthropic: {
    text: [
      started,
      beginBlock(0, { type: "text", text: "" }),
      addToBlock(0, { type: "text_delta", text: "Hel" }),
      addToBlock(0, { type: "text_delta", text: "lo" }),
      { type: "content_block_stop", index: 0 },
    ],
    calls: [started, ...callBlock(0, "c1", "read", '{"path"', ': "a"}'), ...callBlock(1, "c2", "list", "{}")],
    cutCall: [
      started,
      beginBlock(0, { type: "tool_use", id: "c1", name: "read", input: {} }),
      addToBlock(0, { type: "input_json_delta", partial_json: '{"path": "a' }),
      { type: "content_block_stop", index: 0 },
    ],
    end: messageEnd("end_turn"),
    endCalls: messageEnd("tool_use"),
    endLength: messageEnd("max_tokens"),
    endRefused: messageEnd("refusal"),
    fault: [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  },
};
/** The two APIs. */
export const both: readonly WireName[] = Object.keys(wires) as WireName[];
/** Named parts of an answer, one after another, as one API sends them. */
export const wire = (provider: WireName, ...names: string[]): readonly unknown[] =>
  names.flatMap((name) => wires[provider][name] ?? []);
