import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, ask, type EndpointName, type Given, type RequestFault, toFault } from "./api.ts";

/** State of a request that a page made. */
export interface Asked<Answer> {
  /** The latest answer, which stays while the request is repeated. */
  readonly answer: Answer | undefined;
  readonly fault: RequestFault | undefined;
  /** Repeats the request. */
  readonly reload: () => void;
}

/** Requests a GET endpoint, and again whenever the parameters change. */
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
