import { type Clock, cutHead, oneLine, RecentMap, systemClock } from "../../../base/index.ts";
import type { CallContext } from "../../call/context.ts";
import type { Origin } from "../../call/origin.ts";
import type { Trust } from "../../policy/trust.ts";
import { selectionToolNames } from "../tool-names.ts";

/** A caller whose messages belong together: tools that are found for one are called by the same. */
export interface Speaker {
  readonly scope?: string | undefined;
  readonly agentId?: string | undefined;
  readonly userId?: string | undefined;
  readonly origin?: Pick<Origin, "channel" | "session"> | undefined;
}

/** That a tool served a goal. */
export interface Lesson {
  readonly goal: string;
  readonly toolName: string;
  readonly scope: string;
}

/** The store of lessons. */
export interface GoalsOptions {
  /** Told of each tool that was found for a goal and then did its work. */
  readonly learn: (lesson: Lesson) => Promise<void> | void;
  readonly clock?: Clock;
  /** Told of a lesson that could not be kept. */
  readonly onError?: (error: unknown) => void;
}

// A model that has found a tool calls it in the next turns, or never.
const keptMs = 600_000;
const mostGoals = 8;
const mostSpeakers = 1000;
const longestGoal = 500;
const mostTaught = 1000;

interface Goal {
  readonly text: string;
  readonly at: number;
  /** Those found for it whose calls have taught nothing yet. */
  readonly tools: Set<string>;
}

/**
 * Remembers for ten minutes what was searched for, so that the call that follows teaches the search. Nothing is stored.
 *
 * @example
 * ```ts
 * const lessons: Lesson[] = [];
 * const goals = new Goals({ learn: (lesson) => void lessons.push(lesson) });
 * goals.found({ scope: "local" }, "tell me the weather", ["forecast"]);
 * goals.onSuccess("forecast", { scope: "local" });
 * lessons; // → [{ goal: "tell me the weather", toolName: "forecast", scope: "local" }]
 * ```
 */
export class Goals {
  readonly #learn: GoalsOptions["learn"];
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  /** The goals of each speaker, the newest first. */
  readonly #goals = new RecentMap<string, readonly Goal[]>(mostSpeakers);
  /** When a call that named its own goal last taught a tool that goal. */
  readonly #taught = new RecentMap<string, number>(mostTaught);

  constructor({ learn, clock = systemClock, onError = () => {} }: GoalsOptions) {
    this.#learn = learn;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Remembers what was found for a goal. */
  found(speaker: Speaker, goal: string, toolNames: readonly string[]): void {
    const text = normalizeGoal(goal);
    if (text === "" || toolNames.length === 0) return;
    const key = toKey(speaker);
    const others = this.#recent(key).filter((other) => other.text !== text);
    const newest = { text, at: this.#clock.now(), tools: new Set(toolNames) };
    this.#goals.set(key, [newest, ...others].slice(0, mostGoals));
  }

  /**
   * Teaches what a call that came off is good for: the goal that it names itself, or the newest that found its tool. A
   * tool learns a goal once in ten minutes, since one task may call it a hundred times. A call of untrusted origin
   * teaches nothing, and a search in untrusted words is forgotten.
   *
   * @param trust of the call's arguments
   */
  readonly onSuccess = (
    toolName: string,
    context: CallContext,
    trust: Trust | undefined = context.trust,
  ): void => {
    const leads = selectionToolNames.includes(toolName);
    if (trust === "untrusted" && leads) this.#goals.set(toKey(context), []);
    if (context.trust === "untrusted" || leads) return;
    const { scope = "local", goal } = context;
    const text = goal === undefined ? this.#takeGoal(toolName, context) : normalizeGoal(goal);
    if (text === undefined || text === "") return;
    const lesson = { goal: text, toolName, scope };
    if (goal === undefined || this.#isNews(lesson)) void this.#teach(lesson);
  };

  #takeGoal(toolName: string, speaker: Speaker): string | undefined {
    return this.#recent(toKey(speaker)).find(({ tools }) => tools.delete(toolName))?.text;
  }

  #isNews(lesson: Lesson): boolean {
    const key = toLessonKey(lesson);
    const now = this.#clock.now();
    if ((this.#taught.get(key) ?? Number.NEGATIVE_INFINITY) > now - keptMs) return false;
    this.#taught.set(key, now);
    return true;
  }

  #recent(key: string): readonly Goal[] {
    const since = this.#clock.now() - keptMs;
    return (this.#goals.get(key) ?? []).filter(({ at }) => at >= since);
  }

  async #teach(lesson: Lesson): Promise<void> {
    try {
      await this.#learn(lesson);
    } catch (thrown) {
      this.#taught.delete(toLessonKey(lesson));
      this.#onError(thrown);
    }
  }
}

function toLessonKey({ goal, toolName, scope }: Lesson): string {
  return JSON.stringify([scope, toolName, goal]);
}

function normalizeGoal(goal: string): string {
  return cutHead(oneLine(goal), longestGoal);
}

function toKey({ scope = "local", agentId = "", userId = "", origin }: Speaker): string {
  return JSON.stringify([scope, agentId, userId, origin?.channel, origin?.session]);
}
