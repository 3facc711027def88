import { z } from "zod";
import { CodedError, compileGlob } from "../../src/base/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type Approvals,
  type Approver,
  type CallKey,
  type DefinedTool,
  defineTool,
  type Effect,
  type FoundAnswer,
  type GrantKey,
  type Grants,
  type NewGrant,
} from "../../src/kernel/index.ts";

export const run: Effect = { kind: "run", target: "rm -rf build", within: false };

/** A tool that says what ran, and must be asked for. */
export function createTool(effects: readonly Effect[] = [run]): {
  readonly tool: DefinedTool<z.ZodObject<{ command: z.ZodDefault<z.ZodString> }>, number>;
  readonly ran: unknown[];
} {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "bash",
    title: "Shell",
    description: "Run a command.",
    version: "3",
    parameters: z.object({ command: z.string().default("rm -rf build") }),
    effects: async () => effects,
    execute: (params) => ran.push(params),
  });
  return { tool, ran };
}

export function answering(
  answer: ApprovalAnswer,
  identity = "ann",
): Approver & { readonly asked: Approval[] } {
  const asked: Approval[] = [];
  return {
    identity,
    asked,
    ask: async (approval) => {
      asked.push(approval);
      return answer;
    },
  };
}

/** Grants for exactly one call each, for ever. */
export class MemoryGrants implements Grants {
  readonly added: NewGrant[] = [];
  peeked = 0;
  why: string | undefined;

  async find(key: GrantKey, options?: { readonly peek?: boolean }): Promise<readonly string[] | undefined> {
    if (options?.peek === true) this.peeked++;
    const at = this.added.findIndex((grant) => JSON.stringify(grant.key) === JSON.stringify(key));
    return at < 0 ? undefined : [`g${at + 1}`];
  }

  async add(grant: NewGrant): Promise<string> {
    this.added.push(grant);
    return `g${this.added.length}`;
  }

  async whyNot(): Promise<string | undefined> {
    return this.why;
  }
}

interface KeptQuestion {
  readonly approval: Approval;
  readonly key: string;
  answer?: ApprovalAnswer;
  used: boolean;
}

/** Questions that outlive the executor that asked, as a store keeps them; no time passes in it. */
export class MemoryApprovals implements Approvals {
  readonly kept: KeptQuestion[] = [];
  /** Questions whose call was cancelled. */
  readonly left: string[] = [];
  readonly #waiting: { readonly id: string; readonly tell: (answer: ApprovalAnswer) => void }[] = [];

  async open(approval: Approval, key: CallKey | undefined): Promise<Approval> {
    const text = JSON.stringify(key ?? approval.id);
    const waiting = this.kept.find((one) => one.key === text && one.answer === undefined);
    if (waiting !== undefined) return waiting.approval;
    this.kept.push({ approval, key: text, used: false });
    return approval;
  }

  async answer(id: string, answer: ApprovalAnswer): Promise<void> {
    const one = this.#of(id);
    if (one.answer !== undefined) throw new CodedError("APPROVAL_ANSWERED", "somebody answered already");
    one.answer = answer;
    for (const waiting of this.#waiting) if (waiting.id === id) waiting.tell(answer);
  }

  answered(id: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const { answer } = this.#of(id);
      if (answer !== undefined) resolve(answer);
      this.#waiting.push({ id, tell: resolve });
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }

  async claim(id: string): Promise<boolean> {
    const one = this.#of(id);
    if (one.used || one.answer?.approved !== true) return false;
    one.used = true;
    return true;
  }

  async leave({ id }: Approval): Promise<void> {
    this.left.push(id);
  }

  async find(key: CallKey, approvers: readonly string[]): Promise<FoundAnswer | undefined> {
    const text = JSON.stringify(key);
    const isTheirs = (by: string) => approvers.some((glob) => compileGlob(glob)(by));
    const one = this.kept.findLast(
      ({ key: other, used, answer }) => other === text && !used && answer?.approved && isTheirs(answer.by),
    );
    return one?.answer && { id: one.approval.id, answer: one.answer, offers: one.approval.offers };
  }

  #of(id: string): KeptQuestion {
    const found = this.kept.find(({ approval }) => approval.id === id);
    if (found === undefined) throw new Error(`there is no question ${id}`);
    return found;
  }
}
