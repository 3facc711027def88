import { Argument, type Command } from "commander";
import type { Store } from "../../app/store/index.ts";
import { getErrorCode } from "../../base/index.ts";
import type { ApprovalAnswer, GrantTerm, Remember } from "../../kernel/index.ts";
import type { ApprovalStore, KeptApproval } from "../../modules/approvals/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { describeHold, formatHold, type Held } from "../asking/approval-hold.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { refuseAgents, refuseTools } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";
import { parseSpan } from "../text/span.ts";

const actions = ["list", "show", "approve", "deny", "watch", "pin"] as const;
type Action = (typeof actions)[number];

interface ApprovalsOptions {
  readonly all?: boolean;
  readonly remember?: string;
  readonly for?: string;
  readonly reason?: string;
  readonly remove?: boolean;
  readonly notify?: boolean;
}

export function defineApprovals(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[action]", "what to do").choices(actions).default("list"))
    .argument("[question]", "the id of one question, for show, approve and deny")
    .option("--all", "with list: those that ended in the last 30 days too; with deny: all that wait")
    .option("--remember <offer>", "with approve: not just once, but as one of its offers, such as exact")
    .option("--for <term>", "with --remember: session, always, or a span such as 1h (default: session)")
    .option("--reason <text>", "with deny: why, for whoever asked (default: none)")
    .option("--remove", "with pin: ask for none any more")
    .option("--notify", "with watch: show each question on the desktop too")
    .action(async (action: Action, id: string | undefined, options: ApprovalsOptions) => {
      const answer = action === "approve" || action === "deny" ? readAnswer(action, options) : undefined;
      const wanted = wantedBy(action, id, options);
      if (action === "pin") {
        const { changePin } = await import("../asking/change-pin.ts");
        return changePin(session, options.remove === true);
      }
      if (action === "deny") await refuseTools("answer a question");
      else if (action === "approve" || action === "watch") await refuseAgents("answer a question");
      const app = await session.openApp();
      session.warn(app.loaded.warnings);
      const { approvals, grants, runs } = await app.store();
      const { findWaitingRuns } = await import("../asking/waiting-runs.ts");
      const waitingRuns = () => findWaitingRuns(runs, app.context.scope ?? "local");
      if (wanted === undefined) {
        if (action === "watch") {
          const { watchApprovals } = await import("../asking/approval-watch.ts");
          await watchApprovals(session, approvals, { notify: options.notify === true });
        } else if (answer !== undefined) await denyAll(session, approvals, answer);
        else await list(session, { approvals, waitingRuns }, options.all === true);
      } else if (answer === undefined) await show(session, { approvals, waitingRuns }, wanted);
      else await give(session, { approvals, grants, waitingRuns }, wanted, answer);
    });
  addExamples(command, [
    ["haft approvals", "the questions that wait for an answer"],
    ["haft approvals show a_mfy3k2ab_x7k2p1", "one of them whole: what the call will do, and with what"],
    ["haft approvals approve a_mfy3k2ab_x7k2p1", "yes, this once; the call goes on, or is made again"],
    [
      "haft approvals approve a_mfy3k2ab_x7k2p1 --remember exact --for 1h",
      "and for an hour, exactly this call",
    ],
    ["haft approvals deny a_mfy3k2ab_x7k2p1 --reason 'use the test server'", "no, with a word to the agent"],
    ["haft approvals deny --all", "no to every question that waits"],
    [
      "haft approvals watch --notify",
      "shows each question as it comes, rings, and asks for a key; calls wait for it meanwhile",
    ],
    ["haft approvals pin", "asks for a PIN of yours at each yes from now on; changes it where there is one"],
  ]);
  command.addHelpText(
    "after",
    "\nThe first answer counts, wherever it is given, and a yes is used by one call.\napprove and watch need a person at a terminal that no agent started; approve has them type a code back.\nFor what needs no person, such as a job at night, write rules: see docs/guide/permissions.md.",
  );
}

/** Questions, and the parked runs that wait for them. */
interface Asked {
  readonly approvals: ApprovalStore;
  readonly waitingRuns: () => Promise<ReadonlyMap<string, Run>>;
}

async function list(session: Session, { approvals, waitingRuns }: Asked, all: boolean): Promise<void> {
  const found = await approvals.list(all ? {} : { state: "pending" });
  if (session.asJson) session.terminal.json(found);
  else if (found.length === 0) session.terminal.err("No question waits for an answer\n");
  else {
    const { renderApprovalList } = await import("../text/approval-list.ts");
    const at = { now: Date.now(), waitingRuns: await waitingRuns() };
    session.terminal.out(renderApprovalList(found, session.terminal, at));
  }
}

async function show(session: Session, { approvals, waitingRuns }: Asked, id: string): Promise<void> {
  const approval = await approvals.get(id);
  if (approval === undefined) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot find the question "${id}"; \`haft approvals --all\` lists them`,
    );
  }
  if (session.asJson) session.terminal.json(approval);
  else {
    const { renderKeptApproval } = await import("../text/approval-list.ts");
    const runId = (await waitingRuns()).get(id)?.id;
    session.terminal.out(renderKeptApproval(approval, session.terminal, { now: Date.now(), runId }));
  }
}

async function give(
  session: Session,
  { approvals, grants, waitingRuns }: Asked & Pick<Store, "grants">,
  id: string,
  answer: ApprovalAnswer,
): Promise<void> {
  const run = (await waitingRuns()).get(id);
  const asked = answer.approved
    ? await (await import("../asking/approve-at-terminal.ts")).approveAtTerminal(
        session,
        approvals,
        id,
        answer,
        run?.id,
      )
    : await approvals.answer(id, answer);
  const remember = answer.approved ? answer.remember : undefined;
  const held = remember && { remember, now: Date.now(), decayMs: grants.decayMs };
  if (session.asJson) session.terminal.json({ id, ...answer, ...(held && formatHold(held)) });
  else
    session.terminal.out(
      answer.approved ? yesText(id, asked ?? undefined, { held, run }) : `${id} is denied\n`,
    );
  if (run !== undefined && !session.asJson) {
    const { describeGoingOn } = await import("../asking/waiting-runs.ts");
    session.terminal.err(`Now ${await describeGoingOn(session, run)}\n`);
  }
}

function yesText(
  id: string,
  asked: KeptApproval | undefined,
  { held, run }: { readonly held: Held | undefined; readonly run: Run | undefined },
): string {
  const then = held === undefined ? "" : `\nFrom then on the yes is remembered ${describeHold(held)}`;
  if (run !== undefined) return `${id} is approved${then}\n`;
  const inSession = asked?.origin?.session === undefined ? "" : " in the same session";
  const again =
    asked?.reusable !== false
      ? `, or when it is made again${inSession}`
      : "; made again it asks anew, as its arguments are secret";
  return `${id} is approved: the call goes on if it still waits${again}${then}\n`;
}

/** Not those that come, or are answered elsewhere, meanwhile. */
async function denyAll(session: Session, approvals: ApprovalStore, answer: ApprovalAnswer): Promise<void> {
  const denied: string[] = [];
  for (const { id } of await approvals.list({ state: "pending" })) {
    try {
      await approvals.answer(id, answer);
      denied.push(id);
    } catch (error) {
      if (!leftAlone.includes(getErrorCode(error) ?? "")) throw error;
    }
  }
  if (session.asJson) session.terminal.json({ denied });
  else
    session.terminal.out(
      `${denied.length} ${denied.length === 1 ? "question is" : "questions are"} denied\n`,
    );
}

const leftAlone: readonly string[] = [
  "APPROVAL_NOT_FOUND",
  "APPROVAL_EXPIRED",
  "APPROVAL_ANSWERED",
  "APPROVAL_NOT_YOURS",
];

function readAnswer(action: "approve" | "deny", options: ApprovalsOptions): ApprovalAnswer {
  const by = ownerIdentity();
  const { remember: offer, for: term, reason } = options;
  if (action === "deny") {
    if (offer !== undefined || term !== undefined)
      throw new CliError("CLI_USAGE", "Cannot remember a no: --remember and --for are for approve");
    return { approved: false, by, ...(reason !== undefined && { reason }) };
  }
  if (reason !== undefined)
    throw new CliError("CLI_USAGE", "Cannot give a yes a reason: --reason is for deny");
  if (offer === undefined) {
    if (term === undefined) return { approved: true, by };
    throw new CliError(
      "CLI_USAGE",
      `Cannot use --for ${term} alone: say what to remember with --remember exact`,
    );
  }
  const remember: Remember = { offer, term: readTerm(term ?? "session") };
  return { approved: true, by, remember };
}

function readTerm(text: string): GrantTerm {
  return text === "session" || text === "always" ? text : parseSpan(text);
}

/** The id of the one question that it is about; undefined: it is about all. */
function wantedBy(action: Action, id: string | undefined, { all }: ApprovalsOptions): string | undefined {
  if (action === "list" || action === "watch" || action === "pin") return undefined;
  if (all === true && (action !== "deny" || id !== undefined)) {
    const fault = action === "deny" ? `it is either "${id}" or --all` : "--all is for list and deny";
    throw new CliError("CLI_USAGE", `Cannot ${action} a question: ${fault}`);
  }
  if (id !== undefined || all === true) return id;
  throw new CliError(
    "CLI_USAGE",
    `Cannot ${action} a question: name one, as in \`haft approvals ${action} ID\`; \`haft approvals\` lists them`,
  );
}
