import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, ask, type EndpointName, type Given, type RequestFault, toFault } from "./api.ts";

/** What is known of an answer that a page asked for. */
export interface Asked<Answer> {
  /** The newest answer, also while it is asked for again. */
  readonly answer: Answer | undefined;
  readonly fault: RequestFault | undefined;
  /** Asks again. */
  readonly reload: () => void;
}

/** The answer of a GET endpoint, asked for again whenever what is given changes. */
export function useAnswer<Key extends EndpointName>(
  endpoint: Key,
  given: Given<Key> = {},
): Asked<AnswerTo<Key>> {
  const key = JSON.stringify([endpoint, given]);
  const [known, setKnown] = useState<{
    readonly key: string;
    readonly answer: AnswerTo<Key> | undefined;
    readonly fault: RequestFault | undefined;
  }>();
  const running = useRef<AbortController>(undefined);
  const reload = useCallback(() => {
    running.current?.abort();
    const run = new AbortController();
    running.current = run;
    ask(endpoint, given, run.signal).then(
      (answer) => {
        if (!run.signal.aborted) setKnown({ key, answer, fault: undefined });
      },
      (error: unknown) => {
        if (run.signal.aborted) return;
        setKnown((old) => ({
          key,
          answer: old?.key === key ? old.answer : undefined,
          fault: toFault(error),
        }));
      },
    );
  }, [key]);
  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [reload]);
  const current = known?.key === key ? known : undefined;
  return { answer: current?.answer, fault: current?.fault, reload };
}
