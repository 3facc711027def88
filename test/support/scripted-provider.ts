import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../e2e/cli-process.ts";
import {
  type AskedRequest,
  type ModelAnswering,
  refuseWith,
  serveModel,
  streamEvents,
} from "./model-server.ts";

/** One answer of the provider: a text, calls of tools, or both. */
export interface ProviderTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly stop?: "stop" | "length";
  /** What the provider says that the request had. @default 100 */
  readonly inputTokens?: number;
  /** Leaves the answer open after its text. */
  readonly isOpen?: true;
  /** Answers with this status, and says to come back at once. */
  readonly refuse?: number;

  /** Refuses the request, and wants to be left alone for so many seconds. @default it answers */
  readonly busySeconds?: number;
}

/** A provider that speaks as OpenAI's API does, and whose answers are scripted. */
export interface ScriptedProvider {
  readonly asked: readonly AskedRequest[];
  /** The messages of the last request. */
  lastMessages(): readonly { readonly role: string; readonly content?: unknown }[];
}

/**
 * Serves the API on loopback until the test is over, and configures it as the model that agents of this place work with.
 *
 * @param script The next turns in order, or a function that is given the messages and returns or resolves with the turn;
 * `undefined` leaves the answer open.
 */
export async function useScriptedProvider(
  place: Pick<Place, "home">,
  script:
    | readonly ProviderTurn[]
    | ((asked: AskedRequest, before: number) => ProviderTurn | undefined | Promise<ProviderTurn | undefined>),
  settings = "",
  { model = "", agent = "" }: { readonly model?: string; readonly agent?: string } = {},
): Promise<ScriptedProvider> {
  let before = 0;
  const answer: ModelAnswering = async (response, asked) => {
    const at = before++;
    const turn = typeof script === "function" ? await script(asked, at) : script[at];
    if (turn?.refuse !== undefined)
      return refuseWith(turn.refuse, { error: { message: "no" } }, { "retry-after": "0" })(response, asked);
    if (turn?.isOpen === true) return streamEvents(toEvents(turn).slice(0, -3), "open")(response, asked);

    if (turn?.busySeconds !== undefined)
      return refuseWith(
        429,
        { error: { message: "Rate limit reached" } },
        { "retry-after": String(turn.busySeconds) },
      )(response, asked);
    return streamEvents(turn === undefined ? [] : toEvents(turn), turn === undefined ? "open" : "end")(
      response,
      asked,
    );
  };
  const server = await serveModel(answer);
  mkdirSync(place.home, { recursive: true });
  writeFileSync(
    join(place.home, "config.yml"),
    `models:\n  main: { provider: openai-compatible, url: "${server.url}", model: scripted, contextTokens: 100000${model === "" ? "" : `, ${model}`} }\nagent: { model: main${agent === "" ? "" : `, ${agent}`} }\n${settings}`,
  );
  return {
    asked: server.asked,
    lastMessages: () => server.asked.at(-1)?.body["messages"] as ReturnType<ScriptedProvider["lastMessages"]>,
  };
}

/** The events of one answer, as OpenAI's API sends them. */
export function toEvents({
  text = "",
  calls = [],
  stop = "stop",
  inputTokens = 100,
}: ProviderTurn): readonly unknown[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "x",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    ...(text === "" ? [] : (text.match(/[\s\S]{1,7}/g) ?? []).map((content) => chunk({ content }))),
    ...calls.map(({ name, input }, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${index}`,
            type: "function",
            function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
          },
        ],
      }),
    ),
    chunk({}, calls.length > 0 ? "tool_calls" : stop),
    {
      id: "x",
      choices: [],
      usage: { prompt_tokens: inputTokens, completion_tokens: 10, total_tokens: inputTokens + 10 },
    },
    "[DONE]",
  ];
}
