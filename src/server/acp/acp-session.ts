import {
  type AgentContext,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type AgentEvent, Interrupts, type RunEnd } from "../../agent/index.ts";
import type { App } from "../../app/index.ts";
import { getErrorCode, getErrorMessage, isRecord } from "../../base/index.ts";
import type { Approval, ApprovalAnswer, Approver, Mode } from "../../kernel/index.ts";
import type { ImagePart, TextPart } from "../../model/index.ts";
import type { Run, Session } from "../../modules/sessions/index.ts";
import type { AcpAsking, AcpOptions } from "./options.ts";
import { findResourceTrust } from "./resource-trust.ts";
import { chunk, replay, toContent, toUpdates, type UpdateContext } from "./updates.ts";

/** The channel of sessions that editors begin. No other channel's can be loaded. */
export const channel = "acp";
/** Maximum number of earlier entries that a client is told. */
const mostReplayed = 1_000;

type Parts = readonly (TextPart | ImagePart)[];

/** One conversation of an ACP client: it is kept in the store at its own address once something was said. */
export class AcpSession {
  readonly id: string;
  readonly app: App;
  readonly #client: AgentContext;
  readonly #options: AcpOptions;
  readonly #stored: Session | undefined;
  #interrupts: Interrupts | undefined;
  #driving: Promise<unknown> = Promise.resolve();
  #costMicros = 0;
  mode: Mode;

  constructor(
    app: App,
    options: AcpOptions,
    { id, client, stored }: { readonly id: string; readonly client: AgentContext; readonly stored?: Session },
  ) {
    this.id = id;
    this.app = app;
    this.mode = app.mode;
    this.#options = options;
    this.#client = client;
    this.#stored = stored;
  }

  /** Tells the client what was said before. */
  async replay(): Promise<void> {
    const session = this.#stored;
    if (session === undefined) return;
    const { sessions } = await this.app.store();
    const entries = await sessions.entries(session.scope, session.id, { newest: mostReplayed });
    for (const update of replay(entries, this.#describe(undefined))) await this.#tell(update);
  }

  /**
   * @param resources the addresses of the resources that are among the parts
   * @throws {RequestError}
   */
  async prompt(parts: Parts, resources: readonly string[]): Promise<PromptResponse> {
    if (this.#interrupts !== undefined)
      throw RequestError.invalidRequest(undefined, "a prompt of this session is under way; cancel it first");
    const interrupts = new Interrupts();
    this.#interrupts = interrupts;
    const driving = this.#run({ parts, resources }, interrupts);
    this.#driving = driving.catch(() => undefined);
    try {
      return await driving;
    } catch (thrown) {
      if (thrown instanceof RequestError) throw thrown;
      const code = getErrorCode(thrown) ?? "INTERNAL";
      throw RequestError.internalError({ code }, `${getErrorMessage(thrown)} [${code}]`);
    } finally {
      this.#interrupts = undefined;
    }
  }

  cancel(): void {
    this.#interrupts?.interrupt("the user");
  }

  /** Interrupts what runs, and waits until it has ended. */
  async close(): Promise<void> {
    this.cancel();
    await this.#driving;
  }

  async #run(
    { parts, resources }: { readonly parts: Parts; readonly resources: readonly string[] },
    interrupts: Interrupts,
  ): Promise<PromptResponse> {
    const { agentId, model, asking } = this.#options;
    const host = await this.app.agent();
    const run = await host.begin({
      parts,
      trust: await findResourceTrust(this.app, resources),
      channel,
      address: this.id,
      mode: this.mode,
      ...(this.#stored !== undefined && { sessionId: this.#stored.id }),
      ...(agentId !== undefined && { agentId }),
      ...(model !== undefined && { model }),
    });
    const contextTokens = await this.#findContextTokens(run);
    let told: Promise<void> = Promise.resolve();
    const emit = (event: AgentEvent) => {
      if (event.type === "answer.ended") this.#costMicros += event.cost ?? 0;
      for (const update of toUpdates(event, this.#describe(contextTokens)))
        told = told.then(() => this.#tell(update));
    };
    const end = await host.drive(run, {
      emit,
      interrupts,
      replyChannel: channel,
      // Without anybody to ask, a question parks the run: it goes on in the background once it is answered.
      ...(asking === undefined ? { inBackground: true } : { approver: this.#toApprover(asking) }),
    });
    if (end === undefined) await host.abandon(run);
    await told;
    if (end === undefined)
      throw RequestError.invalidRequest(
        undefined,
        "another haft has a run of this session, and reads the prompt",
      );
    return this.#answer(end, run);
  }

  async #answer(end: RunEnd, run: Run): Promise<PromptResponse> {
    switch (end.state) {
      case "completed":
        if (end.stop === "length") return { stopReason: "max_tokens" };
        return { stopReason: end.stop === "refused" ? "refusal" : "end_turn" };
      case "stopped":
        return { stopReason: "cancelled" };
      case "paused":
        await this.#tell(
          chunk("agent_message_chunk", `\n\n${end.text}\n\n(Paused: ${end.why}. Say how to go on.)`),
        );
        return { stopReason: end.why === "context" ? "max_tokens" : "max_turn_requests" };
      case "parked":
        await this.#tell(chunk("agent_message_chunk", `\n\n${end.text}`));
        return { stopReason: "end_turn" };
      case "failed":
        throw RequestError.internalError({ code: end.code, runId: run.id }, `${end.text} [${end.code}]`);
      default:
        return end satisfies never;
    }
  }

  #toApprover({ identity, listChoices, describe }: AcpAsking): Approver {
    return {
      identity,
      ask: async (approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> => {
        const choices = listChoices(approval);
        const { callId: toolCallId, toolName, params: rawInput, digest } = approval;
        const request: RequestPermissionRequest = {
          sessionId: this.id,
          toolCall: {
            toolCallId,
            title: toolName,
            status: "pending",
            rawInput,
            content: [toContent(describe(approval))],
          },
          options: choices.map(({ id: optionId, label: name, kind }) => ({ optionId, name, kind })),
        };
        const cancelling = { cancellationSignal: signal, stopWaitingOnCancel: true };
        const { outcome } = await this.#client.request("session/request_permission", request, cancelling);
        const chosen = outcome.outcome === "selected" ? outcome.optionId : undefined;
        const answer = choices.find(({ id }) => id === chosen)?.answer;
        if (answer === undefined) return { approved: false, by: identity, reason: "the question was left" };
        return answer.approved && digest !== undefined ? { ...answer, shown: digest } : answer;
      },
    };
  }

  async #findContextTokens({ settings }: Run): Promise<number | undefined> {
    const name = isRecord(settings) ? settings["model"] : undefined;
    return typeof name === "string" ? (await this.app.models.open(name)).facts.contextTokens : undefined;
  }

  #describe(contextTokens: number | undefined): UpdateContext {
    return { folder: this.app.folder, contextTokens, costMicros: this.#costMicros };
  }

  async #tell(update: SessionUpdate): Promise<void> {
    // A client that has gone is told nothing more; its prompt is interrupted elsewhere.
    await this.#client.notify("session/update", { sessionId: this.id, update }).catch(() => undefined);
  }
}
