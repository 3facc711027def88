import { pathToFileURL } from "node:url";
import { isPromise, isRecord } from "../../base/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import type { Deadline } from "./deadline.ts";
import { badAnswer } from "./faults.ts";
import { limits } from "./limits.ts";
import type { AnsweringPeer, Asker, ServerAnswer, ServerQuestion } from "./ports.ts";
import { hidesSomething, shownSchema, shownText } from "./tools/shown-schema.ts";

/** A call that the server works on. */
export interface OpenCall {
  readonly context: ToolContext;
  readonly deadline: Deadline;
}

export interface ServerQuestionsOptions {
  readonly server: string;
  readonly asker: Asker | undefined;
  /** Folders for a server that asks for roots while there is no call. */
  readonly folders: readonly string[];
}

const maxSchema = 32_768;
const maxUrl = 2000;
const decline: ServerAnswer = { action: "decline" };

/** What a server asks in the middle of its calls, and who answers. */
export class ServerQuestions {
  readonly #options: ServerQuestionsOptions;
  readonly #calls = new Set<OpenCall>();
  #open = 0;

  constructor(options: ServerQuestionsOptions) {
    this.#options = options;
  }

  async during<Value>(call: OpenCall, work: () => Promise<Value>): Promise<Value> {
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * Answers what a server asks of its own accord, which names no call: any of those that it works on may be what waits.
   * If they are of several people, nobody is asked: one would read what is another's.
   */
  async answerFreely(method: string, params: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    const calls = [...this.#calls];
    const [first] = calls;
    if (method === "roots/list") return this.#roots(first);
    const isOnes = first !== undefined && calls.every((call) => toPerson(call) === toPerson(first));
    if (!isOnes) return { ...decline };
    return this.#elicit(params, calls, signal);
  }

  /** @throws {McpError} MCP_BAD_ANSWER for a question that this client did not say it can answer. */
  async answerFor(call: OpenCall, method: string, params: unknown): Promise<Record<string, unknown>> {
    if (method === "roots/list") return this.#roots(call);
    if (method === "elicitation/create") return this.#elicit(params, [call], call.deadline.signal);
    throw badAnswer(
      this.#options.server,
      `it asks for "${shownText(method, 100)}", which this client does not offer`,
    );
  }

  #roots(call: OpenCall | undefined): Record<string, unknown> {
    const folders = call?.context.allowedPaths ?? this.#options.folders;
    return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href })) };
  }

  async #elicit(
    params: unknown,
    calls: readonly OpenCall[],
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const question = toQuestion(this.#options.server, params);
    const [first] = calls;
    if (question === undefined || first === undefined || this.#open >= limits.questions)
      return { ...decline };
    this.#open++;
    try {
      const answer = await waitTogether(calls, (until) =>
        this.#ask(question, first.context, AbortSignal.any([until, signal])),
      );
      return { ...(await checkAnswer(question, answer)) };
    } finally {
      this.#open--;
    }
  }

  /** Asks whoever made the call, else whoever is at hand. */
  async #ask(question: ServerQuestion, context: ToolContext, signal: AbortSignal): Promise<ServerAnswer> {
    const peer = context.origin?.peer;
    if (canAnswer(peer)) return peer.answerServer(question, signal);
    return this.#options.asker?.ask(question, context, signal) ?? decline;
  }
}

function canAnswer(peer: unknown): peer is AnsweringPeer {
  return (
    typeof peer === "object" &&
    peer !== null &&
    "answerServer" in peer &&
    typeof peer.answerServer === "function"
  );
}

/** While one question is open, the time of all calls that may wait for it stands still, and their places are free. */
function waitTogether(
  calls: readonly OpenCall[],
  ask: (signal: AbortSignal) => Promise<ServerAnswer>,
): Promise<ServerAnswer> {
  const [call, ...others] = calls;
  if (call === undefined) throw new TypeError("Cannot wait for no call");
  return call.deadline.pausedFor(() =>
    call.context.awaitPerson((signal) =>
      others.length === 0
        ? ask(signal)
        : waitTogether(others, (until) => ask(AbortSignal.any([signal, until]))),
    ),
  );
}

function toPerson({ context: { scope, userId, agentId, origin } }: OpenCall): string {
  return JSON.stringify([scope, userId, agentId, origin?.channel, origin?.session]);
}

/** Undefined for what can't be put to anybody. */
function toQuestion(server: string, params: unknown): ServerQuestion | undefined {
  if (!isRecord(params) || typeof params["message"] !== "string") return undefined;
  const message = shownText(params["message"]);
  if (params["mode"] === "url") {
    const { url } = params;
    const parsed = typeof url === "string" && url.length <= maxUrl ? URL.parse(url) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") return undefined;
    return { mode: "url", server, message, url: parsed.href };
  }
  const schema = params["requestedSchema"];
  if (!isRecord(schema) || !isRecord(schema["properties"]) || JSON.stringify(schema).length > maxSchema)
    return undefined;
  const shown = shownSchema(schema);
  return hidesSomething(shown) ? undefined : { mode: "form", server, message, schema: shown };
}

/** Only what was asked for is given, and only in its form. */
async function checkAnswer(question: ServerQuestion, answer: ServerAnswer): Promise<ServerAnswer> {
  if (answer.action !== "accept") return { action: answer.action };
  if (question.mode === "url") return { action: "accept" };
  const fields = question.schema["properties"] as Record<string, unknown>;
  const given = Object.entries(answer.content ?? {}).filter(([name]) => Object.hasOwn(fields, name));
  const checking = compileJsonSchema(question.schema)(Object.fromEntries(given));
  const checked = isPromise(checking) ? await checking : checking;
  return checked.valid
    ? { action: "accept", content: checked.value as Record<string, unknown> }
    : { action: "cancel" };
}
