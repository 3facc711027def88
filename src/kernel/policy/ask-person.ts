import { type Clock, getErrorCode, getErrorMessage, isRecord } from "../../base/index.ts";
import type { Call, DecidedCall, ResolvedCall } from "../call/call.ts";
import { ToolPermissionError } from "../errors.ts";
import type {
  Approval,
  ApprovalAnswer,
  Approvals,
  Approver,
  CallKey,
  GrantKey,
  GrantOffer,
  Grants,
} from "./approval.ts";
import { listApprovers, toApproval, toCallKey, toGrantKey, withoutProject } from "./approval-request.ts";
import { makeGrantOffer, offersFor } from "./grant-offers.ts";
import { NobodyThereError } from "./nobody-there.ts";
import { because, describeEffects, listReasons } from "./permission-text.ts";
import type { Judgement, Verdict } from "./permissions.ts";
import { Patience } from "./prompt-rate-limit.ts";
import { AnswerTimeoutError, Watchers } from "./watchers.ts";

/**
 * Text that ends the message of a refusal without an answer. `questionId`: the stored question, if it can still be
 * answered. `unwatched`: the call would have waited if somebody had been watching stored questions.
 */
export type HowToAllow = (
  toolName: string,
  verdict: Verdict,
  questionId: string | undefined,
  unwatched?: boolean,
) => string;

export interface QuestionOptions {
  readonly approver: Approver | undefined;
  readonly approvals: Approvals | undefined;
  readonly grants: Grants | undefined;
  /** How long a call waits for the answer to its question. */
  readonly timeoutMs: number;
  /** How long a kept question can be answered, and a yes to it be used. */
  readonly lifeMs: number;
  /** Questions of one caller that may be open at once; as often as that it may hear no within ten minutes. */
  readonly maxQuestions: number;
  readonly howToAllow: HowToAllow;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

interface Keys {
  /** Undefined where no other call can use the answer. */
  readonly key: CallKey | undefined;
  /** Undefined where no answer may be remembered. */
  readonly grantKey: GrantKey | undefined;
}

interface Answered {
  /** The question as it is kept: an earlier one, where the same call was asked about already. */
  readonly question: Approval;
  readonly answer: ApprovalAnswer;
}

interface Awaited {
  readonly call: ResolvedCall;
  readonly verdict: Verdict;
  /** The id of a question that is kept. */
  readonly keptId: string | undefined;
  /** Whether the same call, made again, can use the answer to the kept question. */
  readonly isReusable: boolean;
  /** How long the call waits for a person at most. */
  readonly personMs: number;
  /** Called if no person could be asked, even if a program answered. */
  readonly onNobody: () => void;
}

/** What was remembered for a call: the grants that answer its question, or why none does. */
export interface Remembered {
  readonly grants?: readonly string[];
  readonly whyAsked?: string;
}

interface Refusal {
  /** Who refused, for the ledger. */
  readonly by: string;
  /** What comes after what the call asks to do. */
  readonly why: string;
  readonly questionId?: string | undefined;
  /** Whether the same call, made again, can use an answer to that question. */
  readonly isReusable?: boolean;
  readonly unwatched?: boolean;
  readonly cause?: unknown;
}

/** Bounds of `CallContext.questionLifeMs`. */
const leastLifeMs = 1_000;
const mostLifeMs = 2_592_000_000;

/** Values of a decision's `by` in the ledger when no person answered: the question may still be open. */
export const unansweredBy: readonly string[] = ["nobody answered", "nobody to ask"];

/** Calls that rules leave to people: what was remembered or answered before, else one question. */
export class Questions {
  readonly #options: QuestionOptions;
  readonly #patience: Patience;
  readonly #watchers: Watchers;

  constructor(options: QuestionOptions) {
    this.#options = options;
    this.#patience = new Patience(options.clock);
    this.#watchers = new Watchers({
      ...options,
      listApprovers: (call) => listApprovers(this.#findApprover(call)?.identity),
    });
  }

  /** Returns for yes and throws for no. */
  async ask(call: ResolvedCall, verdict: Verdict, judgements: readonly Judgement[]): Promise<DecidedCall> {
    const { grants, approvals } = this.#options;
    const key = toCallKey(call);
    const grantKey = toGrantKey(call, key, judgements);
    const granted = grantKey && (await grants?.find(grantKey));
    if (granted !== undefined) return call.allow({ decision: "allow", by: `grant:${granted.join(",")}` });
    const earlier = key && (await approvals?.find(key, listApprovers(this.#findApprover(call)?.identity)));
    if (earlier !== undefined) {
      // Whoever asked then may have given up: that the answer counts now is said, not only recorded.
      call.notes.push(`${earlier.answer.by} had said yes to this before the call was made`);
      call.asides.push(`question: ${earlier.id}, answered before`);
      const decided = await this.#take(call, verdict, earlier.answer, earlier.id);
      await this.#remember(call, grantKey, earlier, earlier.answer);
      return decided;
    }
    const { question, answer } = await this.#askPerson(call, verdict, { key, grantKey });
    const decided = await this.#take(call, verdict, answer, question.id);
    await this.#remember(call, grantKey, question, answer);
    return decided;
  }

  /** What was remembered for a call that would be asked about. */
  async foresee(call: ResolvedCall, judgements: readonly Judgement[]): Promise<Remembered> {
    const { grants: store } = this.#options;
    const key = toGrantKey(call, toCallKey(call), judgements);
    if (key === undefined || store === undefined) return {};
    const grants = await store.find(key, { peek: true });
    if (grants !== undefined) return { grants };
    const whyAsked = await store.whyNot(key);
    return whyAsked === undefined ? {} : { whyAsked };
  }

  /** Puts a question, unless this caller has put too many. */
  async #askPerson(call: ResolvedCall, verdict: Verdict, { key, grantKey }: Keys): Promise<Answered> {
    const { grants, maxQuestions } = this.#options;
    const personMs = this.#getPersonMs(call, key);
    const approver = personMs === 0 ? undefined : this.#findApprover(call);
    const tiresome = this.#patience.findFault(call.caller, maxQuestions);
    if (tiresome !== undefined)
      throw this.#refusal(call, verdict, { by: "too many questions", why: `, and ${tiresome}` });
    const { outermost } = call.outer ?? {};
    if (outermost?.inner.unanswered === true) {
      const why = `, and nobody answered what "${outermost.toolName}" asked before`;
      throw this.#refusal(call, verdict, { by: "nobody answered", why });
    }
    // Counted before anything is waited for: of calls made at once no more may pass.
    let close = approver && this.#patience.open(call.caller);
    const uncount = this.#options.approvals && this.#patience.kept(call.caller);
    let isNew = false;
    try {
      const watched = personMs > 0 && (await this.#watchers.include(call));
      if (watched && close === undefined) close = this.#openForWatcher(call, verdict);
      const waits = approver !== undefined || watched;
      // Without a key only this call can use the answer: where it can't wait for one, there is nothing to keep.
      const approvals = key === undefined && !waits ? undefined : this.#options.approvals;
      const again = grantKey && (await grants?.whyNot(grantKey));
      const { clock, timeoutMs, newId } = this.#options;
      const now = clock.now();
      const approval = toApproval(call, verdict, {
        id: newId("a"),
        approvers: listApprovers(this.#findApprover(call)?.identity),
        createdAt: now,
        waitsUntil: waits
          ? now + (approver === undefined ? this.#watchers.waitMs(call, personMs) : personMs)
          : undefined,
        expiresAt: now + (approvals === undefined || key === undefined ? timeoutMs : this.#getLifeMs(call)),
        reason: [
          ...listReasons(verdict),
          ...call.taints,
          ...(again === undefined ? [] : [`asked again: ${again}`]),
        ].join("; "),
        offers: grants === undefined ? [] : offersTo(call, verdict, grantKey),
      });
      const question = (await approvals?.open(approval, key)) ?? approval;
      isNew = question.id === approval.id;
      call.asides.push(`question: ${question.id}`);
      const keptId = approvals === undefined ? undefined : question.id;
      const onNobody = () => {
        isNew = false;
        this.#patience.leftOpen(call.caller);
      };
      const isReusable = key !== undefined;
      const awaited = { call, verdict, keptId, isReusable, personMs, onNobody };
      return { question, answer: await this.#answerTo(question, awaited) };
    } finally {
      close?.();
      if (!isNew) uncount?.();
    }
  }

  async #answerTo(approval: Approval, awaited: Awaited): Promise<ApprovalAnswer> {
    const { clock } = this.#options;
    const { call, personMs, onNobody } = awaited;
    const approver = this.#findApprover(call);
    if (approver === undefined || personMs === 0) return this.#watcherAnswer(approval, awaited, "");
    const ask = (signal: AbortSignal) => this.#firstAnswer(approval, approver, signal);
    try {
      return await this.#counted(
        call,
        call.within(clock, personMs, () => new AnswerTimeoutError(personMs), ask),
      );
    } catch (cause) {
      if (!(cause instanceof NobodyThereError) || call.cancelled)
        throw await this.#unanswered(approval, awaited, cause);
      onNobody();
      return this.#watcherAnswer(approval, awaited, ` (${cause.message})`);
    }
  }

  /** Waits for the answer of a person who watches stored questions, as this channel reaches nobody. */
  async #watcherAnswer(approval: Approval, awaited: Awaited, why: string): Promise<ApprovalAnswer> {
    const { approvals } = this.#options;
    const { call, verdict, keptId: questionId, isReusable, personMs } = awaited;
    if (personMs === 0)
      throw this.#refusal(call, verdict, {
        by: "nobody answered",
        why: `${because(verdict)}, and the call does not wait for the answer`,
        questionId,
        isReusable,
      });
    if (approvals === undefined || questionId === undefined || !(await this.#watchers.include(call))) {
      await this.#leave(approval);
      throw this.#refusal(call, verdict, {
        by: "nobody to ask",
        why: `${because(verdict)}, and there is nobody to ask here${why}`,
        questionId,
        isReusable,
        unwatched: true,
      });
    }
    try {
      return await this.#counted(call, this.#watchers.answer(call, { questionId, approvals, personMs }));
    } catch (cause) {
      if (!call.cancelled) await this.#leave(approval);
      throw await this.#unanswered(approval, awaited, cause);
    }
  }

  async #counted(call: ResolvedCall, answer: Promise<ApprovalAnswer>): Promise<ApprovalAnswer> {
    const { approved } = await answer;
    if (!approved) this.#patience.refused(call.caller);
    return answer;
  }

  /** Creates the error of a call that got no answer. */
  async #unanswered(
    approval: Approval,
    { call, verdict, keptId, isReusable }: Awaited,
    cause: unknown,
  ): Promise<unknown> {
    if (call.cancelled) {
      call.deny({ decision: "deny", by: "nobody answered" });
      await this.#leave(approval);
      return cause;
    }
    call.outer?.outermost.noteInner({ unanswered: true });
    const why =
      cause instanceof AnswerTimeoutError
        ? `, and ${cause.message}`
        : `, and the question could not be asked: ${getErrorMessage(cause)}`;
    const questionId = keptId;
    return this.#refusal(call, verdict, { by: "nobody answered", why, questionId, isReusable, cause });
  }

  #openForWatcher(call: ResolvedCall, verdict: Verdict): () => void {
    const why = this.#patience.findOpenFault(call.caller, this.#options.maxQuestions);
    if (why === undefined) return this.#patience.open(call.caller);
    throw this.#refusal(call, verdict, { by: "too many questions", why: `, and ${why}` });
  }

  /** The longest wait for a person. `CallContext.personMs` counts only if a later call could use the answer. */
  #getPersonMs({ context }: ResolvedCall, key: CallKey | undefined): number {
    const { approvals, timeoutMs } = this.#options;
    if (approvals === undefined || key === undefined) return timeoutMs;
    return Math.max(0, Math.min(timeoutMs, context.personMs ?? timeoutMs));
  }

  #getLifeMs({ context: { questionLifeMs } }: ResolvedCall): number {
    const { lifeMs } = this.#options;
    return questionLifeMs === undefined
      ? lifeMs
      : Math.min(Math.max(questionLifeMs, leastLifeMs), mostLifeMs);
  }

  #findApprover({ context }: Call): Approver | undefined {
    return context.approver ?? this.#options.approver;
  }

  /** Whoever answers from now on is told that no call waits. */
  async #leave(approval: Approval): Promise<void> {
    try {
      await this.#options.approvals?.leave(approval);
    } catch {} // The call is over in any case, and the question with its time.
  }

  #refusal(
    call: ResolvedCall,
    verdict: Verdict,
    { by, why, questionId, isReusable = false, unwatched = false, cause }: Refusal,
  ): ToolPermissionError {
    const { toolName } = call;
    call.deny({ decision: "deny", by });
    const how = this.#options.howToAllow(toolName, verdict, questionId, unwatched);
    const details = {
      approver: this.#findApprover(call)?.identity ?? null,
      ...(questionId !== undefined && isReusable && { approval: questionId }),
    };
    return new ToolPermissionError(
      toolName,
      `Permission denied: "${toolName}" asks to ${describeEffects(verdict.effects)}${why}; ${how}`,
      { details, ...(cause !== undefined && { cause }) },
    );
  }

  /** The answer of the person who was asked, or of anybody who answers the kept question first. */
  async #firstAnswer(approval: Approval, approver: Approver, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { approvals } = this.#options;
    if (approvals === undefined) return checkAnswer(await approver.ask(approval, signal));
    const settled = new AbortController();
    const until = AbortSignal.any([signal, settled.signal]);
    const elsewhere = approvals.answered(approval.id, until);
    elsewhere.catch(() => {}); // Where the answer came from here.
    const here = async () => {
      const answer = checkAnswer(await approver.ask(approval, until));
      const { digest: shown } = approval;
      try {
        await approvals.answer(
          approval.id,
          answer.approved && shown !== undefined ? { ...answer, shown } : answer,
        );
        return answer;
      } catch (error) {
        if (getErrorCode(error) === "APPROVAL_ANSWERED") return elsewhere; // Somebody was faster.
        throw error;
      }
    };
    const asked = here();
    asked.catch(() => {}); // Where the answer came from elsewhere.
    try {
      return await Promise.race([asked, elsewhere]);
    } finally {
      settled.abort(new Error("the question is answered"));
    }
  }

  /** Goes by an answer. A yes to a kept question is used up by it, once. */
  async #take(
    call: ResolvedCall,
    verdict: Verdict,
    answer: ApprovalAnswer,
    id: string,
  ): Promise<DecidedCall> {
    const { approvals } = this.#options;
    const by = `person:${answer.by}`;
    const what = `"${call.toolName}" asks to ${describeEffects(verdict.effects)}`;
    if (answer.approved !== true) {
      call.deny({ decision: "deny", by });
      const why = answer.reason === undefined ? "" : ` (${answer.reason})`;
      throw new ToolPermissionError(
        call.toolName,
        `Permission denied: ${what}, and ${answer.by} said no${why}`,
      );
    }
    if (approvals === undefined || (await approvals.claim(id, call.id)))
      return call.allow({ decision: "allow", by });
    call.deny({ decision: "deny", by: `used:${id}` });
    throw new ToolPermissionError(
      call.toolName,
      `Permission denied: ${what}, and the answer ${id} was for one call, which has had it; make the call again to ask anew`,
    );
  }

  async #remember(
    call: ResolvedCall,
    key: GrantKey | undefined,
    { offers }: Pick<Approval, "offers">,
    answer: ApprovalAnswer,
  ): Promise<void> {
    if (!answer.approved || answer.remember === undefined || key === undefined) return;
    const { offer: id, term } = answer.remember;
    const offer = makeGrantOffer(offers, answer.remember);
    if (offer === undefined) {
      call.notes.push(`the answer is for this once: it was not offered to remember it as ${id}, ${term}`);
      return;
    }
    const { patterns } = offer;
    const { origin, project } = call.context;
    try {
      await this.#options.grants?.add({
        key,
        term,
        by: answer.by,
        origin,
        project,
        ...(patterns && { patterns }),
      });
    } catch {
      call.notes.push("the answer could not be remembered");
    }
  }
}

/** A yes to a plan is to all of it, or to none: nothing is near it. */
function offersTo(
  call: ResolvedCall,
  { effects }: Verdict,
  key: GrantKey | undefined,
): readonly GrantOffer[] {
  if (key === undefined) return [];
  const offers = offersFor(
    key,
    key.longest,
    effects.map((effect) => withoutProject(effect, call)),
  );
  const isExact = call.plan !== undefined || key.exactOnly === true;
  return isExact ? offers.filter(({ id }) => id === "exact") : offers;
}

function checkAnswer(answer: unknown): ApprovalAnswer {
  if (!isRecord(answer)) throw new TypeError("there was no answer to read");
  const { approved, by } = answer;
  // Anything else that looks like a yes would be kept as one.
  if (typeof approved !== "boolean" || typeof by !== "string")
    throw new TypeError('the answer does not say "approved", true or false, and who gave it');
  return answer as unknown as ApprovalAnswer;
}
