import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, ask, type EndpointName, type Given, type RequestFault, toFault } from "./api.ts";

/** State of a request that a page made. */
export interface Asked<Answer> {
  /** The latest answer, which stays while the request is repeated. */
  readonly answer: Answer | undefined;
  readonly fault: RequestFault | undefined;
  /** Repeats the request: at once, or as soon as the one that is under way has its answer. */
  readonly reload: () => void;
}

/** A request that is under way, and whether it has to be repeated after that. */
interface Running {
  readonly stop: AbortController;
  again: boolean;
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
  const wanted = useRef(key);
  wanted.current = key;
  const running = useRef<Running>(undefined);
  const reload = useCallback(() => {
    // A caller may hold a `reload` from before the parameters changed.
    if (wanted.current !== key) return;
    // Changes that come faster than answers must not keep the page from ever having one.
    if (running.current !== undefined) {
      running.current.again = true;
      return;
    }
    const run: Running = { stop: new AbortController(), again: false };
    running.current = run;
    const end = () => {
      running.current = undefined;
      if (run.again) reload();
    };
    ask(endpoint, given, run.stop.signal).then(
      (answer) => {
        if (run.stop.signal.aborted) return;
        setKnown({ key, answer, fault: undefined });
        end();
      },
      (error: unknown) => {
        if (run.stop.signal.aborted) return;
        setKnown((old) => ({
          key,
          answer: old?.key === key ? old.answer : undefined,
          fault: toFault(error),
        }));
        end();
      },
    );
  }, [key]);
  useEffect(() => {
    reload();
    return () => {
      running.current?.stop.abort();
      running.current = undefined;
    };
  }, [reload]);
  const current = known?.key === key ? known : undefined;
  return { answer: current?.answer, fault: current?.fault, reload };
}
