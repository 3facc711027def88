import { getErrorCode, getErrorMessage } from "../../../base/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type Approver,
  NobodyThereError,
} from "../../../kernel/index.ts";
import { formatIdentity } from "../client.ts";
import type { ServerCore } from "../core.ts";
import type { CallPeer, FormAnswer } from "../messages/peer.ts";
import { toAnswer, toForm, toMisfit } from "./approval-form.ts";
import { toQuestion } from "./approval-question.ts";
import { closed, ReadingTime, tooFast } from "./self-answers.ts";

/**
 * Asks the person behind an MCP client, by a form. Anything but a clear yes is a no; what no person can have answered
 * is no answer, and neither is a form that was closed.
 */
export class PeerApprover implements Approver {
  readonly identity: string;
  readonly #peer: CallPeer;
  readonly #core: Pick<ServerCore, "clock" | "readingMs" | "selfAnswers">;
  /** Reason why the client is not asked. */
  readonly #unasked: string | undefined;

  constructor(
    peer: CallPeer,
    core: Pick<ServerCore, "clock" | "readingMs" | "selfAnswers">,
    unasked: string | undefined,
  ) {
    this.#peer = peer;
    this.#core = core;
    this.#unasked = unasked;
    this.identity = formatIdentity(peer.client);
  }

  async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { selfAnswers } = this.#core;
    const unasked = this.#unasked ?? selfAnswers.whyUnasked(this.#peer.client);
    if (unasked !== undefined) throw new NobodyThereError(unasked);
    const reading = new ReadingTime(this.#core.clock, this.#core.readingMs);
    const [answer, wasRead] = await this.#elicit(approval, { signal, onAsked: reading.begin })
      .then(async (given) => [given, await reading.isOver()] as const)
      .finally(() => reading.end());
    selfAnswers.note(this.#peer.client, wasRead);
    if (!wasRead) throw new NobodyThereError(tooFast);
    if (answer === "misfit") return toMisfit(this.identity);
    if (answer.action === "cancel") throw new NobodyThereError(closed);
    return toAnswer(answer, approval, this.identity);
  }

  async #elicit(
    approval: Approval,
    options: { readonly signal: AbortSignal; readonly onAsked: () => void },
  ): Promise<FormAnswer | "misfit"> {
    const form = { message: toQuestion(approval), schema: toForm(approval.offers) };
    try {
      return await this.#peer.elicit(form, { ...options, approval });
    } catch (thrown) {
      if (getErrorCode(thrown) === "MCP_BAD_ANSWER") return "misfit";
      if (getErrorCode(thrown) !== "MCP_CLIENT_ERROR") throw thrown;
      throw new NobodyThereError(getErrorMessage(thrown), { cause: thrown });
    }
  }
}
