import { showInvisible } from "../../base/index.ts";
import type { Approval, ApprovalAnswer, GrantOffer, GrantTerm } from "../../kernel/index.ts";
import { settleInput } from "../calls/settle-input.ts";
import type { Terminal } from "../terminal.ts";
import { describeStanding, renderApproval } from "../text/approval.ts";
import { promptStreams, whileAsked } from "./ask-yes.ts";

export interface ChoiceOptions {
  /** Who answers. */
  readonly by: string;
  /** What "for a while" means where the question came from: its session, or milliseconds. */
  readonly while: "session" | number;
  /** Offers to leave the question to a later time, or to others. @default false */
  readonly canLeave?: boolean;
  /** Offers to say with a no what should be done instead: an agent reads it. @default false */
  readonly canExplain?: boolean;
  readonly signal: AbortSignal;
}

/** `left`: the question stays open. `cancelled`: Ctrl-C or Escape. */
export type Choice = ApprovalAnswer | "left" | "cancelled";

/**
 * Shows a question as it is and asks the person at the terminal for one key; Enter means no. Keys count once the
 * question has stood there for a moment: one that was typed before answers nothing.
 */
export async function chooseAnswer(
  terminal: Terminal,
  approval: Approval,
  options: ChoiceOptions,
): Promise<Choice> {
  // Nothing is shown of a question whose call was ended while another one was answered.
  if (options.signal.aborted) return "cancelled";
  const paint = terminal.paintError.bind(terminal);
  const standing = describeStanding(approval, Date.now());
  terminal.err(renderApproval(approval, { width: terminal.errorWidth, paint, standing }));
  const choices = listChoices(approval, options);
  const { isCancel, selectKey } = await import("@clack/prompts");
  if (!(await settleInput(terminal, options))) return "cancelled";
  const key = await whileAsked(options.signal, (signal) =>
    selectKey({
      ...promptStreams(terminal),
      message: "Allow it?",
      // The first is what Enter means.
      options: choices.map(({ key: value, label }) => ({ value, label })),
      initialValue: "n",
      signal,
    }),
  );
  if (isCancel(key)) return "cancelled";
  if (key === explainKey) return explainNo(terminal, options);
  return choices.find((choice) => choice.key === key)?.answer ?? { approved: false, by: options.by };
}

const explainKey = "w";

/** A no with the reason that the person types for the agent. */
async function explainNo(terminal: Terminal, { by, signal }: ChoiceOptions): Promise<Choice> {
  const { isCancel, text } = await import("@clack/prompts");
  const typed = await whileAsked(signal, (asked) =>
    text({ ...promptStreams(terminal), message: "Why not, or what instead?", signal: asked }),
  );
  if (isCancel(typed)) return "cancelled";
  const reason = typed?.trim() ?? "";
  return { approved: false, by, ...(reason !== "" && { reason }) };
}

export interface OfferedChoice {
  readonly key: string;
  readonly label: string;
  readonly answer: Choice;
}

/** The keys that a question can be answered with: no, once, and what a yes to it may be remembered as. */
export function listChoices(
  { offers }: Pick<Approval, "offers">,
  { by, while: short, canLeave = false, canExplain = false }: Omit<ChoiceOptions, "signal">,
): OfferedChoice[] {
  const exact = offers.find(isExact);
  const project = offers.find(({ id }) => id === "project");
  const wider = offers.find((offer) => !isExact(offer) && offer !== project);
  const choices: OfferedChoice[] = [
    { key: "n", label: "no", answer: { approved: false, by } },
    { key: "y", label: "yes, this once", answer: { approved: true, by } },
  ];
  const add = (key: string, offer: GrantOffer, term: GrantTerm, label: string) => {
    if (!offer.terms.includes(typeof term === "number" ? "time" : term)) return;
    choices.push({ key, label, answer: { approved: true, by, remember: { offer: offer.id, term } } });
  };
  const [key, span] = short === "session" ? ["s", "for this session"] : ["h", "for an hour"];
  if (exact !== undefined) {
    add(key, exact, short, `yes, ${span}, for exactly this call`);
    add("a", exact, "always", "always, for exactly this call");
  }
  if (wider !== undefined) add("g", wider, short, `yes, ${span}: ${showInvisible(wider.label)}`);
  if (project !== undefined)
    add("p", project, "always", `until you take it back: ${showInvisible(project.label)}`);
  if (canExplain)
    choices.push({ key: explainKey, label: "no, and say why", answer: { approved: false, by } });
  if (canLeave) choices.push({ key: "l", label: "leave it open", answer: "left" });
  return choices;
}

function isExact({ patterns }: GrantOffer): boolean {
  return patterns === undefined;
}
