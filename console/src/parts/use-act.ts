import { useState } from "preact/hooks";
import { type RequestFault, toFault } from "../net/api.ts";
import { say } from "../shell/live-region.tsx";

/** State of an action that a person starts on a page. */
export interface Act {
  readonly busy: boolean;
  readonly fault: RequestFault | undefined;
  /** The outcome, in words. */
  readonly done: string | undefined;
  /** Runs `work`, which resolves with the outcome in words. Ignored while the action runs. */
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
