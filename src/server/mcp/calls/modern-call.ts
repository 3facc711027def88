import { createHash, randomBytes } from "node:crypto";
import { canonicalJson } from "../../../base/index.ts";
import type { Interaction } from "../../../kernel/index.ts";
import type { KeptQuestions, Parkable } from "../asking/parked.ts";
import { noAnswer } from "../asking/questions.ts";
import type { McpClient } from "../client.ts";
import type { ServerCore } from "../core.ts";
import { finish, modernAnswer, type Outcome, settle } from "../messages/answer.ts";
import type { Exchange } from "../messages/exchange.ts";
import { formatOwner } from "../messages/handle.ts";
import { type Params, writeMembers } from "../messages/message.ts";
import type { LogLevel } from "../messages/protocol.ts";
import type { Call, Method, Question } from "./call.ts";

interface Pending {
  readonly question: Question;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: unknown) => void;
  readonly forget: () => void;
}

/**
 * A call that each request of its client carries a step further (2026-07-28). Where it needs an answer from the
 * client, the request of the moment is answered with the questions, and the call waits, parked, for the retry
 * that brings the answers.
 */
export class ModernCall implements Call, Parkable {
  readonly modern = true;
  readonly id: string;
  readonly method: string;
  readonly params: Params;
  readonly interaction: Interaction | undefined;
  unattended: string | undefined;
  readonly #core: ServerCore;
  readonly #controller = new AbortController();
  readonly #pending = new Map<string, Pending>();
  readonly #given: Params;
  #exchange: Exchange | undefined;
  #client: McpClient;
  #outcome: Outcome | undefined;
  #turnPlanned = false;

  constructor(core: ServerCore, exchange: Exchange, given: Params) {
    this.id = String(exchange.id);
    this.method = exchange.method;
    this.params = exchange.params;
    this.#core = core;
    this.#client = exchange.client;
    this.interaction = core.openInteraction(exchange.client, true);
    this.#given = given;
    this.#attach(exchange);
  }

  get client(): McpClient {
    return this.#client;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get progressToken(): string | number | undefined {
    return this.#exchange?.progressToken;
  }

  get logLevel(): LogLevel | undefined {
    return this.#exchange?.logLevel;
  }

  run(method: Method<ServerCore>): void {
    settle(
      () => method(this.#core, this),
      (outcome) => this.#settled(outcome),
    );
  }

  notify(method: string, params: Params): void {
    this.#exchange?.notify(method, params);
  }

  ask(question: Question): Promise<Params> {
    const { key = randomBytes(9).toString("base64url"), signal } = question;
    if (signal.aborted) return Promise.reject(signal.reason);
    const given = question.key === undefined ? undefined : this.#given[question.key];
    if (given !== undefined && accepts(question, given as Params)) return Promise.resolve(given as Params);
    const name = this.#freeName(key);
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#pending.delete(name);
        reject(signal.reason);
      };
      signal.addEventListener("abort", withdraw, { once: true });
      const forget = () => signal.removeEventListener("abort", withdraw);
      this.#pending.set(name, { question, resolve, reject, forget });
      this.#planTurn();
    });
  }

  /** Looks at the answers of a retry before anything is done with them. Throws an RpcError for one of the wrong form. */
  check(answers: Params): void {
    for (const [name, { question }] of this.#pending) {
      if (answers[name] !== undefined) question.check(answers[name] as Params);
    }
  }

  /** Goes on under a retry, with the answers it brought. */
  resume(exchange: Exchange, answers: Params): void {
    this.#client = exchange.client;
    this.#attach(exchange);
    if (this.#outcome !== undefined) {
      this.#deliver(this.#outcome);
      return;
    }
    for (const [name, { resolve, forget }] of this.#pending) {
      const answer = answers[name];
      if (answer === undefined) continue;
      this.#pending.delete(name);
      forget();
      resolve(answer as Params);
    }
    this.#planTurn();
  }

  expire(): void {
    this.#giveUp(noAnswer(this.method));
    if (this.#outcome !== undefined) finish(this.#outcome);
  }

  #attach(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.onCancel = (reason) => {
      this.#exchange = undefined;
      exchange.outlet.abandon();
      this.#giveUp(reason);
    };
  }

  #giveUp(reason: Error): void {
    this.#rejectPending(reason);
    this.#controller.abort(reason);
  }

  #settled(outcome: Outcome): void {
    this.#outcome = outcome;
    if (this.#pending.size > 0) this.#rejectPending(noAnswer(this.method));
    if (this.#exchange !== undefined) this.#deliver(outcome);
    else if (this.signal.aborted) finish(outcome);
  }

  #deliver(outcome: Outcome): void {
    const exchange = this.#detach();
    exchange?.answer(modernAnswer(exchange.id, outcome, this.#core));
    finish(outcome);
  }

  #detach(): Exchange | undefined {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange !== undefined) exchange.onCancel = undefined;
    return exchange;
  }

  /** Questions asked in the same turn of the event loop go out together. */
  #planTurn(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    setImmediate(() => {
      this.#turnPlanned = false;
      this.#sendQuestions();
    });
  }

  #sendQuestions(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || this.#outcome !== undefined || this.#pending.size === 0) return;
    let requestState: string;
    try {
      const belongsTo = { owner: formatOwner(exchange.client), digest: digestRequest(exchange) };
      requestState = this.#core.parked.park(this, belongsTo, this.#keptQuestions());
    } catch (busy) {
      this.#rejectPending(busy);
      return;
    }
    const inputRequests = Object.fromEntries(
      Array.from(this.#pending, ([name, { question }]) => [
        name,
        { method: question.method, params: question.params },
      ]),
    );
    const reply = { members: writeMembers({ inputRequests, requestState }) };
    this.#detach()?.answer(modernAnswer(exchange.id, { reply }, this.#core, "input_required"));
    for (const { question } of this.#pending.values()) question.onAsked?.();
  }

  #keptQuestions(): KeptQuestions {
    const kept = Array.from(this.#pending).flatMap(
      ([
        name,
        {
          question: { approval },
        },
      ]) => (approval === undefined ? [] : [{ name, approval }]),
    );
    return {
      approvals: Object.fromEntries(
        kept.map(({ name, approval: { id, digest } }) => [
          name,
          { id, ...(digest !== undefined && { shown: digest }) },
        ]),
      ),
      expiresAt: kept.length === 0 ? undefined : Math.min(...kept.map(({ approval }) => approval.expiresAt)),
    };
  }

  #rejectPending(reason: unknown): void {
    for (const [name, { reject, forget }] of this.#pending) {
      this.#pending.delete(name);
      forget();
      reject(reason);
    }
  }

  #freeName(key: string): string {
    let name = key;
    for (let count = 2; this.#pending.has(name); count++) name = `${key}_${count}`;
    return name;
  }
}

function accepts(question: Question, answer: Params): boolean {
  try {
    question.check(answer);
    return true;
  } catch {
    return false;
  }
}

/** What belongs to one try of a request, and not to the request. */
const ofOneTry: readonly string[] = ["_meta", "inputResponses", "requestState"];

/** The digest of everything that says what a request is. */
export function digestRequest({ method, params }: Pick<Exchange, "method" | "params">): string {
  const request = Object.entries(params).filter(([name]) => !ofOneTry.includes(name));
  return createHash("sha256")
    .update(canonicalJson([method, Object.fromEntries(request)]))
    .digest("base64url");
}
