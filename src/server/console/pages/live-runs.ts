import { type AgentEvent, Interrupts } from "../../../agent/index.ts";
import type { App } from "../../../app/index.ts";
import { type Clock, getErrorCode, getErrorMessage, systemClock } from "../../../base/index.ts";
import type { Run } from "../../../modules/sessions/index.ts";
import type { RunEvents } from "../api/index.ts";

/** Events that are kept of a run; pieces of one text count as one once they were asked for. */
const mostEvents = 5_000;
/** Runs that ended whose events are kept. */
const mostEnded = 20;
const longestWaitMs = 20_000;

/** The runs that the console of one installation drives. */
export class LiveRuns {
  readonly #app: App;
  readonly #clock: Clock;
  readonly #runs = new Map<string, LiveRun>();

  constructor(app: App, clock: Clock = systemClock) {
    this.#app = app;
    this.#clock = clock;
  }

  /** Drives a run, and those that answer messages that came too late for it. Nothing waits for it. */
  drive(run: Run): void {
    const live = new LiveRun(this.#clock);
    this.#runs.set(run.id, live);
    void this.#drive(run, live).finally(() => {
      live.close();
      this.#forgetOld();
    });
  }

  get(runId: string): LiveRun | undefined {
    return this.#runs.get(runId);
  }

  async #drive(first: Run, live: LiveRun): Promise<void> {
    try {
      const host = await this.#app.agent();
      let run: Run | undefined = first;
      while (run !== undefined) {
        const end = await host.drive(run, {
          emit: live.add,
          interrupts: live.interrupts,
          replyChannel: "console",
        });
        if (end === undefined) {
          await host.abandon(run);
          return live.fail("busy", "Another program has a run of this conversation, and reads what was said");
        }
        const mayGoOn: boolean = end.state === "completed" && (await host.hasWaiting(run.sessionId));
        run = mayGoOn
          ? await host.begin({ parts: [], channel: "console", sessionId: run.sessionId })
          : undefined;
      }
    } catch (error) {
      live.fail(getErrorCode(error) ?? "unknown", getErrorMessage(error));
    }
  }

  #forgetOld(): void {
    const ended = Array.from(this.#runs).filter(([, live]) => live.isOver);
    for (const [id] of ended.slice(0, Math.max(0, ended.length - mostEnded))) this.#runs.delete(id);
  }
}

/** The events of one run, for pages that ask for those after a number. */
export class LiveRun {
  readonly interrupts: Interrupts = new Interrupts();
  readonly #clock: Clock;
  readonly #events: AgentEvent[] = [];
  /** The number of the first event that is kept. */
  #first = 1;
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly add = (event: AgentEvent): void => {
    this.#events.push(event);
    if (this.#events.length > mostEvents) {
      this.#events.shift();
      this.#first++;
    }
    this.#wake();
  };

  /** Tells of an end that the run did not tell of itself. */
  fail(code: string, text: string): void {
    this.add({ type: "run.ended", end: { state: "failed", code, text } });
  }

  close(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The events after a number, as soon as there are any; none after 20 s or once `signal` is aborted. */
  async read(after: number, signal: AbortSignal): Promise<RunEvents> {
    if (!this.#isOver && after >= this.#next - 1 && !signal.aborted) await this.#wait(signal);
    const events = this.#events.slice(Math.max(0, after + 1 - this.#first));
    return {
      events: joinTexts(events),
      next: Math.max(after, this.#next - 1),
      gap: after + 1 < this.#first,
      over: this.#isOver,
    };
  }

  get #next(): number {
    return this.#first + this.#events.length;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        endWait();
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const endWait = this.#clock.after(longestWaitMs, done);
      this.#waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}

function joinTexts(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === "answer.text" && last?.type === "answer.text")
      joined[joined.length - 1] = { type: "answer.text", delta: last.delta + event.delta };
    else if (event.type === "answer.reasoning" && last?.type === "answer.reasoning")
      joined[joined.length - 1] = { type: "answer.reasoning", delta: last.delta + event.delta };
    else joined.push(event);
  }
  return joined;
}
