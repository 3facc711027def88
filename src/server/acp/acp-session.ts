import {
  type AgentContext,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type AgentEvent, Interrupts, type RunEnd } from "../../agent/index.ts";
import type { AgentHost, App } from "../../app/index.ts";
import { isRecord } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { ImagePart, TextPart } from "../../model/index.ts";
import type { Run, Session } from "../../modules/sessions/index.ts";
import { describeFault } from "./fault.ts";
import type { AcpAsking, AcpOptions } from "./options.ts";
import { findResourceTrust } from "./resource-trust.ts";
import { chunk, toContent, toReplay, toUpdate, toUsage } from "./updates.ts";

type Parts = readonly (TextPart | ImagePart)[];

/** The channel of sessions that editors begin. Sessions of other channels can't be loaded. */
export const channel = "acp";
/** Maximum number of stored entries that are replayed to a client. */
const mostReplayed = 1_000;

/** What a session of one client is made of. */
export interface AcpSessionParts {
  readonly app: App;
  readonly options: AcpOptions;
  readonly client: AgentContext;
  /** Its address in the store, where it is kept from its first prompt on. */
  readonly id: string;
  /** The stored session that goes on. */
  readonly stored?: Session;
}

/** One session of an ACP client. */
export class AcpSession {
  readonly #with: AcpSessionParts;
  #interrupts: Interrupts | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #costMicros = 0;

  constructor(parts: AcpSessionParts) {
    this.#with = parts;
  }

  /** Tells the client what was said in the stored session. */
  async replay({ scope, id }: Session): Promise<void> {
    const { app } = this.#with;
    const { sessions } = await app.store();
    const entries = await sessions.entries(scope, id, { newest: mostReplayed });
    for (const update of toReplay(entries, app.folder)) this.#tell(update);
  }

  /**
   * @param resources the addresses of the resources that are among the parts
   * @throws {RequestError}
   */
  async prompt(parts: Parts, resources: readonly string[]): Promise<PromptResponse> {
    if (this.#interrupts !== undefined)
      throw RequestError.invalidRequest(undefined, "a prompt of this session is under way; cancel it first");
    this.#interrupts = new Interrupts();
    const running = this.#run({ parts, resources }, this.#interrupts);
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } catch (thrown) {
      throw thrown instanceof RequestError ? thrown : RequestError.internalError(...describeFault(thrown));
    } finally {
      this.#interrupts = undefined;
    }
  }

  cancel(): void {
    this.#interrupts?.interrupt("the user");
  }

  /** Interrupts the prompt under way, and waits until it has ended. */
  async close(): Promise<void> {
    this.cancel();
    await this.#running;
  }

  async #run(
    { parts, resources }: { readonly parts: Parts; readonly resources: readonly string[] },
    interrupts: Interrupts,
  ): Promise<PromptResponse> {
    const { app, id, stored, options } = this.#with;
    const { agentId, model } = options;
    const host = await app.agent();
    const { awaitNextTurn } = await import("../../app/tasks/index.ts");
    let run = await host.begin({
      parts,
      trust: await findResourceTrust(app, resources),
      channel,
      address: id,
      mode: app.mode,
      ...(stored !== undefined && { sessionId: stored.id }),
      ...(agentId !== undefined && { agentId }),
      ...(model !== undefined && { model }),
    });
    let end = await this.#drive(host, run, interrupts);
    if (end === undefined) {
      await host.abandon(run);
      throw RequestError.invalidRequest(
        undefined,
        "another haft has a run of this session, and reads the prompt",
      );
    }
    // Tasks that it has started are done in the background. The turns that read of them belong to this prompt.
    while (end.state === "completed") {
      const { signal } = interrupts;
      const next = await awaitNextTurn(app, run.sessionId, signal);
      if (signal.aborted) return { stopReason: "cancelled" };
      const nextEnd = next && (await this.#drive(host, next, interrupts));
      if (next === undefined || nextEnd === undefined) break;
      run = next;
      end = nextEnd;
    }
    return this.#answer(end, run);
  }

  async #drive(host: AgentHost, run: Run, interrupts: Interrupts): Promise<RunEnd | undefined> {
    const { asking } = this.#with.options;
    const size = await this.#findContextTokens(run);
    return host.drive(run, {
      emit: (event) => this.#show(event, size),
      interrupts,
      replyChannel: channel,
      // Without anybody to ask, a question parks the run: it goes on in the background once it is answered.
      ...(asking === undefined ? { inBackground: true } : { approver: this.#toApprover(asking) }),
    });
  }

  async #findContextTokens({ settings }: Run): Promise<number | undefined> {
    const name = isRecord(settings) ? settings["model"] : undefined;
    return typeof name === "string"
      ? (await this.#with.app.models.open(name)).facts.contextTokens
      : undefined;
  }

  #show(event: AgentEvent, contextTokens: number | undefined): void {
    if (event.type === "answer.ended") {
      this.#costMicros += event.cost ?? 0;
      if (contextTokens !== undefined) this.#tell(toUsage(event.usage, contextTokens, this.#costMicros));
    } else {
      const update = toUpdate(event, this.#with.app.folder);
      if (update !== undefined) this.#tell(update);
    }
  }

  #answer(end: RunEnd, run: Run): PromptResponse {
    switch (end.state) {
      case "completed":
        if (end.stop === "length") return { stopReason: "max_tokens" };
        return { stopReason: end.stop === "refused" ? "refusal" : "end_turn" };
      case "stopped":
        return { stopReason: "cancelled" };
      case "paused":
        this.#tell(
          chunk("agent_message_chunk", `\n\n${end.text}\n\n(Paused: ${end.why}. Say how to go on.)`),
        );
        return { stopReason: end.why === "context" ? "max_tokens" : "max_turn_requests" };
      case "parked":
        this.#tell(chunk("agent_message_chunk", `\n\n${describeParked(end)}`));
        return { stopReason: "end_turn" };
      case "failed":
        throw RequestError.internalError({ code: end.code, runId: run.id }, `${end.text} [${end.code}]`);
      default:
        return end satisfies never;
    }
  }

  #toApprover({ identity, listChoices, describe }: AcpAsking): Approver {
    const { client, id: sessionId } = this.#with;
    return {
      identity,
      ask: async (approval, cancellationSignal) => {
        const choices = listChoices(approval);
        const { callId: toolCallId, toolName: title, params: rawInput, digest } = approval;
        const content = [toContent(describe(approval))];
        const request: RequestPermissionRequest = {
          sessionId,
          toolCall: { toolCallId, title, status: "pending", rawInput, content },
          options: choices.map(({ id: optionId, label: name, kind }) => ({ optionId, name, kind })),
        };
        const { outcome } = await client.request("session/request_permission", request, {
          cancellationSignal,
          stopWaitingOnCancel: true,
        });
        const chosen = outcome.outcome === "selected" ? outcome.optionId : undefined;
        const answer = choices.find(({ id }) => id === chosen)?.answer;
        if (answer === undefined) return { approved: false, by: identity, reason: "the question was left" };
        return answer.approved && digest !== undefined ? { ...answer, shown: digest } : answer;
      },
    };
  }

  #tell(update: SessionUpdate): void {
    const { client, id: sessionId } = this.#with;
    // Messages are sent in the order of these calls. A client that has gone is told nothing more.
    client.notify("session/update", { sessionId, update }).catch(() => undefined);
  }
}

function describeParked({ why, text }: Extract<RunEnd, { readonly state: "parked" }>): string {
  return why === "task" ? "(It goes on once the tasks that it started have ended: `haft tasks`.)" : text;
}
