import { randomUUID } from "node:crypto";
import { isRecord } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { type AnsweringPeer, McpError, type ServerAnswer, type ServerQuestion } from "../../../mcp/index.ts";
import { type FormSchema, type FormValue, findMisfit, readContent } from "../asking/elicitation.ts";
import type { Call, Question } from "../calls/call.ts";
import { type ClientCapabilities, canElicit, type McpClient } from "../client.ts";
import type { Params } from "./message.ts";
import { type LogLevel, logLevels } from "./protocol.ts";
import { invalidParams } from "./rpc-error.ts";

/** How one question is put. */
export interface AskOptions {
  /**
   * What the client files its answer under. A client of 2026-07-28 that knows the name may answer before it is
   * asked, so name only what may be answered unseen. @default a name nobody can guess
   */
  readonly key?: string;
  /** Withdraws the question. @default the signal of the tool's context, or of the request */
  readonly signal?: AbortSignal;
}

interface OwnAskOptions extends AskOptions {
  readonly approval?: Question["approval"];
  readonly onAsked?: Question["onAsked"];
}

/** A form and why it is shown. Its fields are plain: nothing nested. */
export interface FormRequest {
  readonly message: string;
  readonly schema: FormSchema;
}

/** A page and why somebody should go there. The way to ask for what the client must not see. */
export interface UrlRequest {
  readonly message: string;
  /** The address that the person is sent to; what is typed there does not pass through the client. */
  readonly url: string;
}

/** `content` fits the schema and has nothing beside it. `decline` is a no; `cancel`: the person did not choose. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, FormValue>> }
  | { readonly action: "decline" | "cancel" };

/** What a person said to being sent to a page. */
export interface UrlAnswer {
  /** `accept`: the person agreed to go there; it does not say that anything was done there. */
  readonly action: "accept" | "decline" | "cancel";
  /** Tells the client that the matter is settled, where its revision has a word for that (2025-11-25). */
  readonly done: () => void;
}

/** `sampling/createMessage` as the specification has it. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: unknown }[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly [member: string]: unknown;
}

/** What the client's model said; a person may have changed it. `content` is a block or a list of them. */
export interface SampleAnswer {
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly model: string;
  readonly stopReason?: string;
}

/** A folder, or a file, that the client works in. */
export interface Root {
  /** `file://…` */
  readonly uri: string;
  readonly name?: string;
}

/**
 * The client that made a call, as a tool, a resource or a prompt may use it while it answers. In both eras the
 * caller just waits: where the server may not call the client (2026-07-28), the call is set aside and goes on when
 * the client comes back with the answer. Every question rejects with an McpError: MCP_CAPABILITY where the client
 * can't answer such a question, MCP_CLIENT_ERROR where it failed to, MCP_BAD_ANSWER for an answer that does not
 * fit, MCP_NO_ANSWER where it is gone, MCP_BUSY where too many calls wait already. What asks a person takes no place
 * among the calls that run and none of the tool's time, as {@link ToolContext.awaitPerson} says; so it also rejects as
 * that does.
 */
export interface McpPeer {
  readonly client: McpClient;
  /** Asks a person to fill in a form. Never ask for a secret this way. */
  elicit(request: FormRequest, options?: AskOptions): Promise<FormAnswer>;
  /** Sends a person to a page. */
  elicitUrl(request: UrlRequest, options?: AskOptions): Promise<UrlAnswer>;
  /** Asks the client's model. */
  sample(request: SampleRequest, options?: AskOptions): Promise<SampleAnswer>;
  /** The folders that the client works in. */
  roots(options?: AskOptions): Promise<readonly Root[]>;
  /** A line for the client's log; dropped if the client does not want it that fine. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** How far the work is; dropped if the client did not ask. `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void;
}

/**
 * The MCP client that made this call of a tool; undefined where the call came another way.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "who",
 *     description: "Say who calls.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: (_params, context) => mcpPeer(context)?.client.name ?? "nobody over MCP",
 *   }),
 * );
 * const { text } = await new ToolExecutor(registry).run("who", {});
 * text; // → "nobody over MCP"
 * ```
 */
export function mcpPeer(
  context: Pick<ToolContext, "origin" | "signal" | "awaitPerson">,
): McpPeer | undefined {
  const peer = context.origin?.peer;
  return peer instanceof CallPeer ? peer.within(context) : undefined;
}

/** What a tool's own call says of its questions. */
type Asker = Pick<ToolContext, "signal" | "awaitPerson">;

export class CallPeer implements McpPeer, AnsweringPeer {
  readonly #call: Call;
  readonly #asker: Asker | undefined;

  constructor(call: Call, asker?: Asker) {
    this.#call = call;
    this.#asker = asker;
  }

  /** The same client, as a tool asks it: its questions end with it, and while a person answers, its time stands still. */
  within(asker: Asker): McpPeer {
    return new CallPeer(this.#call, asker);
  }

  get client(): McpClient {
    return this.#call.client;
  }

  async elicit({ message, schema }: FormRequest, options: OwnAskOptions = {}): Promise<FormAnswer> {
    this.#require(canElicit(this.client.capabilities, "form"), { elicitation: { form: {} } }, "show forms");
    const mode = this.client.protocolVersion >= "2025-11-25" ? { mode: "form" } : {};
    const params = { ...mode, message, requestedSchema: schema };
    return readFormAnswer(await this.#askPerson("elicitation/create", params, options), schema);
  }

  async elicitUrl({ message, url }: UrlRequest, options: AskOptions = {}): Promise<UrlAnswer> {
    this.#require(canElicit(this.client.capabilities, "url"), { elicitation: { url: {} } }, "open pages");
    const elicitationId = this.#call.modern ? undefined : randomUUID();
    const params = { mode: "url", message, url, ...(elicitationId !== undefined && { elicitationId }) };
    const answer = await this.#askPerson("elicitation/create", params, options);
    return {
      action: answer["action"] as UrlAnswer["action"],
      done: () => {
        if (elicitationId !== undefined)
          this.#call.notify("notifications/elicitation/complete", { elicitationId });
      },
    };
  }

  /** Puts what another MCP server asks in the middle of this call to the client. */
  async answerServer(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> {
    const message = `The MCP server "${question.server}" asks: ${question.message}`;
    try {
      if (question.mode === "form")
        return await this.elicit({ message, schema: question.schema as unknown as FormSchema }, { signal });
      const { action } = await this.elicitUrl({ message, url: question.url }, { signal });
      return { action };
    } catch (error) {
      // A client that can't ask its user anything is a no, as the protocol has it.
      if (error instanceof McpError && error.code === "MCP_CAPABILITY") return { action: "decline" };
      throw error;
    }
  }

  async sample(request: SampleRequest, options: AskOptions = {}): Promise<SampleAnswer> {
    this.#require(this.client.capabilities.sampling !== undefined, { sampling: {} }, "ask a model");
    const answer = await this.#ask("sampling/createMessage", request, options, (given) => {
      if (given["content"] === undefined) throw invalidParams("Cannot take the answer: it has no content");
    });
    return answer as unknown as SampleAnswer;
  }

  async roots(options: AskOptions = {}): Promise<readonly Root[]> {
    this.#require(this.client.capabilities.roots !== undefined, { roots: {} }, "list roots");
    const answer = await this.#ask("roots/list", {}, options, (given) => {
      if (!isRootList(given["roots"]))
        throw invalidParams('Cannot take the answer: "roots" must be a list of roots');
    });
    return answer["roots"] as readonly Root[];
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#call;
    if (logLevel === undefined || logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    this.#call.notify("notifications/message", { level, ...(logger !== undefined && { logger }), data });
  }

  progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.#call;
    if (progressToken === undefined) return;
    this.#call.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  #require(able: boolean, requiredCapabilities: ClientCapabilities, what: string): void {
    if (able) return;
    throw new McpError(
      "MCP_CAPABILITY",
      `Cannot ask "${this.client.name}": it did not declare that it can ${what}; use a client that can, or call without need of it`,
      { details: { requiredCapabilities } },
    );
  }

  async #askPerson(method: Question["method"], params: Params, options: OwnAskOptions): Promise<Params> {
    if (this.#asker === undefined) return this.#ask(method, params, options, checkAction);
    return this.#asker.awaitPerson((until) => {
      const signal = options.signal === undefined ? until : AbortSignal.any([options.signal, until]);
      return this.#ask(method, params, { ...options, signal }, checkAction);
    });
  }

  #ask(
    method: Question["method"],
    params: Params,
    options: OwnAskOptions,
    check: Question["check"],
  ): Promise<Params> {
    return this.#call.ask({
      method,
      params,
      key: options.key,
      approval: options.approval,
      onAsked: options.onAsked,
      signal: options.signal ?? this.#asker?.signal ?? this.#call.signal,
      check,
    });
  }
}

/**
 * What a client answered to a form.
 *
 * @throws {RpcError} invalidParams for what is no answer to a form.
 * @throws {McpError} MCP_BAD_ANSWER for one that does not fit this form.
 */
export function readFormAnswer(answer: Params, schema: FormSchema): FormAnswer {
  checkAction(answer);
  const { action, content } = answer;
  if (action !== "accept") return { action: action as "decline" | "cancel" };
  const misfit = findMisfit(content, schema);
  if (misfit !== undefined) throw badAnswer(misfit);
  return { action, content: readContent(content as Params, schema) };
}

/** @throws {RpcError} invalidParams */
export function checkAction({ action, content }: Params): void {
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw invalidParams('Cannot take the answer: "action" must be accept, decline or cancel');
  }
  if (content !== undefined && content !== null && !isRecord(content)) {
    throw invalidParams('Cannot take the answer: "content" must be an object');
  }
}

function isRootList(value: unknown): boolean {
  return Array.isArray(value) && value.every((root) => isRecord(root) && typeof root["uri"] === "string");
}

function badAnswer(misfit: string): McpError {
  return new McpError("MCP_BAD_ANSWER", `Cannot use the answer to the form: ${misfit}; ask again`);
}
