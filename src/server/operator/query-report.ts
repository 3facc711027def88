import type { AgentEvent, RunEnd } from "../../agent/index.ts";
import { parseJson } from "../../base/index.ts";
import type { ChatUsage } from "../../model/index.ts";
import { readWaits } from "../../modules/sessions/index.ts";
import type { QueryOutcome, QueryUsage, StreamEvent } from "./operator-messages.ts";

/** Follows the events of one run: sends them as messages of the wire, and adds up tokens and cost of its answers. */
export class QueryReport {
  readonly #emit: (event: StreamEvent) => void;
  #turn: number | undefined;
  #turnUsage: QueryUsage = nothingUsed;
  #turns = 0;
  #usage: QueryUsage = nothingUsed;
  #text = "";

  constructor(emit: (event: StreamEvent) => void) {
    this.#emit = emit;
  }

  get turns(): number {
    return this.#turns;
  }

  /** The last text of the agent. */
  get text(): string {
    return this.#text;
  }

  get usage(): QueryUsage {
    return this.#usage;
  }

  readonly hear = (event: AgentEvent): void => {
    switch (event.type) {
      case "run.began":
        return this.#tell("started", "The agent is at work", { runID: event.runId });
      case "step.began":
        this.#endTurn();
        this.#turn = event.step;
        return this.#emit({ type: "turn.start", turn: event.step });
      case "answer.text":
        return this.#emit({ type: "text", content: event.delta });
      case "answer.withdrawn":
        return this.#tell("withdrawn", `The text of this turn so far does not count: ${event.why}`);
      case "request.retried":
        return this.#tell("retry", `${event.why}; ${event.next} is asked in ${event.waitMs} ms`);
      case "answer.ended":
        this.#turns++;
        if (event.text !== "") this.#text = event.text;
        this.#turnUsage = toUsage(event.usage, event.cost);
        this.#usage = addUsage(this.#usage, this.#turnUsage, this.#turns === 1);
        return;
      case "call.began": {
        const { callId: callID, name, input } = event;
        return this.#emit({ type: "tool.call", callID, name, input: parseJson(input) ?? input });
      }
      case "call.ended": {
        const { name, text: content, failed, code } = event.result;
        const cause = code === undefined ? {} : { cause: code };
        return this.#emit({ type: "tool.result", callID: event.callId, name, content, failed, ...cause });
      }
      case "call.parked":
        return this.#tellParked(event);
      case "compacted":
        return this.#tell("compacted", "Older parts of the conversation are shown shorter from now on");
      case "run.ended":
        return this.#endTurn();
      // This wire has no thoughts, no progress of calls and no notes.
      case "answer.reasoning":
      case "call.updated":
      case "message.taken":
      case "note":
      case "reply":
        return;
      default:
        return event satisfies never;
    }
  };

  #endTurn(): void {
    if (this.#turn === undefined) return;
    this.#emit({ type: "turn.end", turn: this.#turn, usage: this.#turnUsage });
    this.#turn = undefined;
    this.#turnUsage = nothingUsed;
  }

  #tellParked({ callId: callID, name, waitFor }: Extract<AgentEvent, { type: "call.parked" }>): void {
    const question = readWaits(waitFor).find((wait) => wait.for === "approval");
    this.#tell("approval", describeQuestion(name, question?.id), {
      callID,
      ...(question !== undefined && { approvalID: question.id }),
    });
  }

  #tell(
    status: Extract<StreamEvent, { type: "status" }>["status"],
    message: string,
    about: { readonly runID?: string; readonly callID?: string; readonly approvalID?: string } = {},
  ): void {
    this.#emit({ type: "status", status, message, ...about });
  }
}

function describeQuestion(name: string, id: string | undefined): string {
  return `A person has to allow the call of "${name}": \`haft approvals show${id === undefined ? "" : ` ${id}`}\`; the run goes on by itself then`;
}

/**
 * The end of a run as the wire has it.
 *
 * @param said The last text of the agent.
 */
export function toOutcome(
  end: RunEnd,
  said: string,
): Pick<QueryOutcome, "content" | "stopReason" | "error" | "code" | "cause"> {
  switch (end.state) {
    case "completed":
    case "stopped":
      return { content: end.text, stopReason: end.stop };
    case "paused":
      if (end.why !== "context") return { content: end.text, stopReason: end.why };
      return {
        content: "",
        stopReason: end.why,
        error: `${end.text}; begin another session, or send less`,
        code: "CONTEXT_TOO_LARGE",
        cause: "context",
      };
    case "parked":
      // It has answered, and goes on once the tasks that it started have ended.
      return { content: end.why === "task" ? said : end.text, stopReason: end.why };
    case "failed":
      return {
        content: "",
        stopReason: "failed",
        error: end.text,
        code: "TOOL_EXECUTION_FAILED",
        cause: end.code,
      };
    default:
      return end satisfies never;
  }
}

export const nothingUsed: QueryUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

function toUsage(
  { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens }: ChatUsage,
  cost: number | undefined,
): QueryUsage {
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    ...(cost !== undefined && { costMicros: cost }),
  };
}

function addUsage(sum: QueryUsage, one: QueryUsage, isFirst: boolean): QueryUsage {
  const before = isFirst ? 0 : sum.costMicros;
  const cost = before === undefined || one.costMicros === undefined ? undefined : before + one.costMicros;
  return toUsage(
    {
      inputTokens: sum.inputTokens + one.inputTokens,
      cacheReadTokens: sum.cacheReadTokens + one.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + one.cacheWriteTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      reasoningTokens: sum.reasoningTokens + one.reasoningTokens,
    },
    cost,
  );
}
