import { type AnswerPart, askJson, asModel, type ChatModel } from "../../model/index.ts";
import type { NewEntry } from "../../modules/sessions/index.ts";
import { countEntry } from "../compaction/size.ts";
import { meterChat } from "../usage/metered-chat.ts";
import type { AgentEvent } from "./events.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Journal } from "./journal.ts";
import { judgePrompt, judgeSystem, mostTextChars, verdictSchema, verdicts } from "./judge-prompt.ts";
import type { LoopMeter } from "./metered.ts";
import type { NoteSubject } from "./read-run.ts";

/** How a run should go on after repeated failure, in the model's own judgement. */
export interface Verdict {
  /** `continue`: as before. `replan`: by another way. `complete`: it is done, or can't be. */
  readonly verdict: (typeof verdicts)[number];
  readonly assessment: string;
  readonly lessons: readonly string[];
  readonly nextFocus?: string;
}

/** What {@link judgeFailures} works with. */
export interface JudgeParts {
  readonly journal: Journal;
  readonly model: ChatModel;
  readonly meter?: LoopMeter;
  readonly interrupts: Interrupts;
  readonly leave: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

const mostLessons = 5;
const answerTokens = 1_000;

/** Asks the model what its failures mean, and tells the run. The verdict is an entry, so it is asked for once. */
export async function judgeFailures(parts: JudgeParts): Promise<undefined> {
  const { journal, emit } = parts;
  const verdict = await askVerdict(parts);
  const about: NoteSubject = verdict.verdict === "complete" ? "wind-up" : "verdict";
  const content = { kind: "note", about, text: describe(verdict), state: { ...verdict } } as const;
  const shown = journal.entries;
  const note: NewEntry = {
    ...content,
    tokens: countEntry(content),
    // A paraphrase can't be traced, so the note has the trust of its sources.
    trust: shown.some(({ trust }) => trust === "untrusted") ? "untrusted" : "trusted",
    private: shown.some((one) => one.private),
  };
  await journal.write({ entries: [note] });
  emit({ type: "note", about, text: content.text });
}

/** The advice when there is no verdict: the budget is spent, the model failed, or its answer can't be read. */
const unjudged: Verdict = {
  verdict: "continue",
  assessment: "Three calls in a row have failed. See what they have in common before the next one.",
  lessons: [],
};

async function askVerdict({ journal, model, meter, interrupts, leave }: JudgeParts): Promise<Verdict> {
  const counted =
    meter === undefined
      ? model
      : meterChat(model, {
          scope: "",
          purpose: "judge",
          meter: {
            before: ({ inputTokens, maxTokens, isFixed }) =>
              meter({
                step: journal.steps,
                purpose: "judge",
                inputTokens,
                ...(maxTokens !== undefined && { maxTokens }),
                ...(isFixed !== undefined && { isFixed }),
              }),
          },
        });
  try {
    return await askJson(asModel(counted), {
      system: judgeSystem,
      prompt: judgePrompt(journal.entries, journal.runId),
      schema: verdictSchema,
      maxTokens: answerTokens,
      signal: interrupts.signal,
      read: readVerdict,
    });
  } catch {
    leave.throwIfAborted();
    return unjudged;
  }
}

function readVerdict(answer: AnswerPart): Verdict {
  const nextFocus = answer.get("nextFocus").optional((part) => part.text(mostTextChars));
  return {
    verdict: answer.get("verdict").oneOf(verdicts),
    assessment: answer.get("assessment").text(mostTextChars),
    lessons: answer.get("lessons").optionalItems(mostLessons, (part) => part.text(mostTextChars)),
    ...(nextFocus !== undefined && { nextFocus }),
  };
}

const advice: Readonly<Record<Verdict["verdict"], string>> = {
  continue: "",
  replan: "Go about it another way, and say in a few words how before the next call.",
  complete:
    "No more tools can be called now. Say what is done, what could not be done and why, and what is left.",
};

function describe({ verdict, assessment, lessons, nextFocus }: Verdict): string {
  return [
    assessment,
    ...lessons.map((lesson) => `- ${lesson}`),
    ...(nextFocus === undefined ? [] : [`Next: ${nextFocus}`]),
    advice[verdict],
  ]
    .filter((line) => line !== "")
    .join("\n");
}
