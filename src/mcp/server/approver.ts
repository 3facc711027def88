import { headOf, showInvisible, tailOf } from "../../base/index.ts";
import type { Approval, ApprovalAnswer, Approver } from "../../kernel/index.ts";
import type { FormSchema } from "./elicitation.ts";
import type { McpPeer } from "./peer.ts";

const choices = {
  once: "allow once",
  always: "allow always for exactly this call",
  no: "deny",
} as const;

/** Plain choices, which every revision with forms knows; none of them is the default. */
const decisionForm: FormSchema = {
  type: "object",
  properties: {
    decision: { type: "string", title: "Decision", enum: [choices.once, choices.always, choices.no] },
  },
  required: ["decision"],
};

/** More does not fit a dialog; the middle is what a reader can best do without, and the question says so. */
const mostArgumentChars = 20_000;

/** Asks the person behind an MCP client, by a form. Anything but a clear yes is a no. */
export class PeerApprover implements Approver {
  readonly #peer: McpPeer;

  constructor(peer: McpPeer) {
    this.#peer = peer;
  }

  async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { client } = this.#peer;
    const by = `the user of ${client.name} (${client.principal})`;
    const answer = await this.#peer.elicit(
      { message: toQuestion(approval), schema: decisionForm },
      { signal },
    );
    if (answer.action !== "accept") {
      return {
        approved: false,
        by,
        reason: answer.action === "decline" ? "declined" : "closed the question",
      };
    }
    const { decision } = answer.content;
    if (decision === choices.once) return { approved: true, by };
    if (decision === choices.always) return { approved: true, by, remember: true };
    return { approved: false, by };
  }
}

/** Everything the call is and will do, with nothing hidden in it. */
export function toQuestion({ toolName, toolTitle, toolVersion, params, effects, reason }: Approval): string {
  const title = toolTitle === toolName ? "" : ` (${toLine(toolTitle)})`;
  const lines = [`Allow the tool ${toolName}${title}, version ${toLine(toolVersion)}, to run?`, ""];
  if (effects.length > 0) {
    lines.push("It will:");
    for (const { kind, target, within } of effects) {
      lines.push(`- ${kind} ${toLine(target)}${within ? "" : " (outside the bounds of this client)"}`);
    }
  } else lines.push("It does not say what it will do.");
  lines.push("", `Asked because: ${toLine(reason)}`, "", "Arguments:", toShownArguments(params));
  return lines.join("\n");
}

/** In one line: nothing in it can look like another line of the question. */
function toLine(text: string): string {
  return showInvisible(text).replaceAll("\n", "\\u{a}").replaceAll("\t", "\\u{9}");
}

function toShownArguments(params: unknown): string {
  const text = showInvisible(JSON.stringify(params, undefined, 2) ?? "none");
  if (text.length <= mostArgumentChars) return text;
  const head = headOf(text, mostArgumentChars * 0.7);
  const tail = tailOf(text, mostArgumentChars * 0.2);
  return `${head}\n[… ${text.length - head.length - tail.length} of ${text.length} characters are not shown here …]\n${tail}`;
}
