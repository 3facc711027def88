import { useState } from "preact/hooks";
import { type RequestFault, toFault } from "../net/api.ts";
import { say } from "../shell/live-region.tsx";

/** Something that a person does on a page: whether it runs, and what came of it. */
export interface Act {
  readonly busy: boolean;
  readonly fault: RequestFault | undefined;
  /** What came of it, for people. */
  readonly done: string | undefined;
  /** Does it, unless it runs; `work` resolves with what came of it. */
  readonly run: (work: () => Promise<string>) => void;
}

export function useAct(): Act {
  const [state, setState] = useState<Omit<Act, "run">>({ busy: false, fault: undefined, done: undefined });
  const run = (work: () => Promise<string>) => {
    if (state.busy) return;
    setState({ busy: true, fault: undefined, done: undefined });
    work().then(
      (outcome) => {
        setState({ busy: false, fault: undefined, done: outcome });
        say(outcome);
      },
      (error: unknown) => {
        setState({ busy: false, fault: toFault(error), done: undefined });
      },
    );
  };
  return { ...state, run };
}
