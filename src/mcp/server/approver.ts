import { codeOf } from "../../base/index.ts";
import type { Approval, ApprovalAnswer, Approver } from "../../kernel/index.ts";
import { toAnswer, toForm, toMisfit } from "./approval-form.ts";
import { toQuestion } from "./approval-question.ts";
import { identityOf } from "./client.ts";
import type { CallPeer } from "./peer.ts";

/** Asks the person behind an MCP client, by a form. Anything but a clear yes is a no. */
export class PeerApprover implements Approver {
  readonly identity: string;
  readonly #peer: CallPeer;

  constructor(peer: CallPeer) {
    this.#peer = peer;
    this.identity = identityOf(peer.client);
  }

  async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const form = { message: toQuestion(approval), schema: toForm(approval.offers) };
    try {
      return toAnswer(await this.#peer.elicit(form, { signal, approval }), approval, this.identity);
    } catch (thrown) {
      if (codeOf(thrown) !== "MCP_BAD_ANSWER") throw thrown;
      return toMisfit(this.identity);
    }
  }
}
