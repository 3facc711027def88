import { getErrorMessage, isPromise } from "../../../base/index.ts";
import {
  appendIssues,
  noTools,
  readReturned,
  type StandardSchema,
  type Tool,
  ToolContent,
  type ToolContext,
  type ToolOutcome,
  type ToolUpdate,
  toJsonSchema,
  type ValidationIssue,
} from "../../../kernel/index.ts";
import {
  type Fault,
  type FromWorker,
  mostResultChars,
  type ToWorker,
  type WireContent,
} from "../messages.ts";
import { printingAs } from "./console.ts";
import type { SecretRequests } from "./secret-requests.ts";

export interface CallServices {
  readonly send: (message: FromWorker) => void;
  readonly secrets: SecretRequests;
  readonly toFault: (thrown: unknown) => Fault;
}

type CallMessage = Extract<ToWorker, { type: "call" }>;

/** The calls that run in this worker. Each answers once: with its result, or with why there is none. */
export class RunningCalls {
  readonly #services: CallServices;
  readonly #running = new Map<number, AbortController>();

  constructor(services: CallServices) {
    this.#services = services;
  }

  start(message: CallMessage, tool: Tool | undefined): void {
    const controller = new AbortController();
    this.#running.set(message.id, controller);
    void printingAs(message.tool, () => this.#answer(message, tool, controller.signal)).finally(() =>
      this.#running.delete(message.id),
    );
  }

  cancel({ id, code, message }: Extract<ToWorker, { type: "cancel" }>): void {
    this.#running.get(id)?.abort(Object.assign(new Error(message), { code }));
  }

  async #answer(message: CallMessage, tool: Tool | undefined, signal: AbortSignal): Promise<void> {
    const { send, toFault } = this.#services;
    const { id } = message;
    try {
      if (tool === undefined)
        throw new Error(`Cannot call "${message.tool}": this time the extension did not make it`);
      const params = await checked(tool, message.params);
      const value = await this.#settled(id, tool.execute(params as never, this.#toContext(message, signal)));
      send(toResult(id, readReturned(message.tool, value)));
    } catch (thrown) {
      send({ type: "failed", id, fault: toFault(thrown) });
    }
  }

  async #settled(id: number, outcome: ToolOutcome): Promise<unknown> {
    if (isPromise(outcome) || !isGenerator(outcome)) return outcome;
    for (;;) {
      const step = await outcome.next();
      if (step.done === true) return step.value;
      this.#tell(id, step.value);
    }
  }

  #tell(id: number, update: ToolUpdate): void {
    this.#services.send({ ...asUpdate(update), id });
  }

  #toContext({ id, facts }: CallMessage, signal: AbortSignal): ToolContext {
    const { secrets } = this.#services;
    const {
      callId,
      scope,
      taskId,
      agentId,
      userId,
      origin,
      allowedPaths = [],
      allowedHosts = [],
      trust,
      deadline,
    } = facts;
    return {
      callId,
      scope,
      taskId,
      agentId,
      userId,
      origin,
      allowedPaths,
      allowedHosts,
      effects: facts.effects as ToolContext["effects"],
      trust,
      deadline,
      signal,
      progress: (progress, total, message) =>
        this.#tell(id, { type: "progress", progress, total, message } as ToolUpdate),
      output: (text) => this.#tell(id, { type: "output", text: String(text) }),
      secret: (name) => secrets.ask(name, id),
      wait: async (act) => act(signal),
      awaitPerson: () =>
        Promise.reject(
          new Error("Cannot wait for a person: a worker knows none; return, and let the agent ask"),
        ),
      toolset: noTools,
      interaction: undefined,
      call: (name) =>
        Promise.reject(
          new Error(
            `Cannot call "${name}": an extension knows no other tools; return, and let the agent call it`,
          ),
        ),
    };
  }
}

/** The update as JSON can write it, which has no numbers that are not finite. */
function asUpdate(given: ToolUpdate): ToolUpdate {
  const update: Partial<Record<string, unknown>> = Object(given);
  const { type, text, progress, total, message } = update;
  if (type === "output" && typeof text === "string") return { type, text };
  if (type !== "progress" || typeof progress !== "number")
    throw new TypeError(
      "What it yielded is neither progress nor output; yield { type, text } or { type, progress }",
    );
  return {
    type,
    progress: Number.isFinite(progress) ? progress : 0,
    ...(typeof total === "number" && Number.isFinite(total) && { total }),
    ...(message !== undefined && { message: getErrorMessage(message) }),
  };
}

function isGenerator(outcome: unknown): outcome is AsyncGenerator<ToolUpdate, unknown, void> {
  return (
    typeof outcome === "object" && outcome !== null && Symbol.asyncIterator in outcome && "next" in outcome
  );
}

/** Checks by the extension's own schema: what it converts and fills in, haft can't from JSON Schema alone. */
async function checked({ parameters }: Tool, params: unknown): Promise<unknown> {
  if (!("~standard" in parameters)) return params;
  const schema = parameters as StandardSchema;
  const result = await schema["~standard"].validate(params);
  if (result.issues === undefined) return result.value;
  const issues: ValidationIssue[] = result.issues.map(({ message, path = [] }) => ({
    message,
    path: path.map((part) => {
      const key = typeof part === "object" ? part.key : part;
      return typeof key === "number" ? key : String(key);
    }),
  }));
  throw Object.assign(new Error(appendIssues("Invalid arguments:", issues, params, toJsonSchema(schema))), {
    code: "TOOL_VALIDATION",
    details: { issues },
  });
}

function toResult(id: number, value: unknown): FromWorker {
  const result: FromWorker =
    value instanceof ToolContent
      ? { type: "result", id, content: toWire(value) }
      : { type: "result", id, value };
  const chars = typeof value === "string" ? value.length : toJson(result).length;
  if (chars <= mostResultChars) return result;
  throw Object.assign(
    new Error(
      `Cannot hand over a result of ${chars} characters: at most ${mostResultChars} go through; return less, or write a file`,
    ),
    { code: "EXTENSION_TOO_LARGE" },
  );
}

function toWire({ blocks, structured, trust }: ToolContent): WireContent {
  return { blocks, ...(structured !== undefined && { structured }), ...(trust !== undefined && { trust }) };
}

function toJson(result: object): string {
  try {
    return JSON.stringify(result);
  } catch (cause) {
    const error = new Error(
      `Cannot hand over the result: it is no JSON value; return one without cycles and BigInts`,
      { cause },
    );
    throw Object.assign(error, { code: "TOOL_OUTPUT" });
  }
}
