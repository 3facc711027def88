import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type RequestFault, toFault } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { say } from "../../shell/live-region.tsx";
import type { Decided, Result } from "./tool-types.ts";

interface TrialState {
  /** What would be decided, and the JSON of the arguments that it was asked about. */
  readonly decided: { readonly text: string; readonly answer: Decided } | undefined;
  /** Whether a dry run is under way. The result of the one before stays until it ends. */
  readonly deciding: boolean;
  readonly running: boolean;
  readonly cancelled: boolean;
  readonly result: Result | undefined;
  readonly fault: RequestFault | undefined;
  /** The question that the call asks, by its id. */
  readonly question: string | undefined;
}

/** A call that is tried: what would be decided of it, and what came of it. */
export interface Trial extends TrialState {
  /** @param text JSON of the arguments */
  readonly dryRun: (text: string) => void;
  readonly run: (text: string) => void;
  readonly cancel: () => void;
}

const nothing: TrialState = {
  decided: undefined,
  deciding: false,
  running: false,
  cancelled: false,
  result: undefined,
  fault: undefined,
  question: undefined,
};

export function useTrial(name: string): Trial {
  const [state, setState] = useState(nothing);
  const stop = useRef<AbortController>(undefined);
  /** Questions that waited before the call was made. */
  const others = useRef<ReadonlySet<string>>(new Set());
  const dryRuns = useRef(0);
  const segments = { name };
  useEffect(() => () => stop.current?.abort(), []);

  const dryRun = (text: string) => {
    dryRuns.current++;
    const number = dryRuns.current;
    setState((old) => ({ ...old, deciding: true }));
    ask("POST /tools/:name/dry-run", { segments, body: { params: JSON.parse(text) as unknown } }).then(
      (answer) => {
        // Another dry run has begun since, with other arguments.
        if (number !== dryRuns.current) return;
        setState({ ...nothing, decided: { text, answer } });
        say(`It would be: ${answer.outcome}`);
      },
      (error: unknown) => {
        if (number === dryRuns.current) setState({ ...nothing, fault: toFault(error) });
      },
    );
  };

  const run = (text: string) => {
    const own = new AbortController();
    stop.current = own;
    // The answer to a dry run that is under way says nothing of this call.
    dryRuns.current++;
    setState((old) => ({ ...nothing, decided: old.decided, running: true }));
    const work = async () => {
      others.current = new Set((await listWaiting(own.signal)).map(({ id }) => id));
      const body = { params: JSON.parse(text) as unknown };
      return ask("POST /tools/:name/run", { segments, body }, own.signal);
    };
    work().then(
      (result) => {
        setState((old) => ({ ...nothing, decided: old.decided, result }));
        say(result.success ? "The call is done" : `The call failed: ${result.code}`);
      },
      (error: unknown) =>
        setState((old) => ({
          ...nothing,
          decided: old.decided,
          ...(own.signal.aborted ? { cancelled: true } : { fault: toFault(error) }),
        })),
    );
  };

  const findQuestion = async () => {
    if (!state.running) return;
    const found = (await listWaiting()).find(({ id }) => !others.current.has(id));
    // One that was answered stays, with its answer, until the call has ended or asks another.
    if (found !== undefined) setState((old) => (old.running ? { ...old, question: found.id } : old));
  };
  useLiveReload(["question"], () => void findQuestion().catch(() => undefined), 200);

  return { ...state, dryRun, run, cancel: () => stop.current?.abort() };
}

/** The questions of calls that were made at the console and wait. */
async function listWaiting(signal?: AbortSignal) {
  const questions = await ask("GET /questions", { query: { state: "pending" } }, signal);
  return questions.filter(({ origin }) => origin?.channel === "console");
}
