import { useEffect, useRef, useState } from "preact/hooks";
import { ask, toFault } from "../../net/api.ts";
import { addEvent, isSettling, type LiveAnswer, noAnswer } from "./live-answer.ts";

/** How a run is followed: `elsewhere` where another program drives it, so that only its entries are told of. */
export type Following = "none" | "here" | "elsewhere";

const retryMs = 2000;

/** What a run says while it says it. */
export function useLiveAnswer(
  runId: string | undefined,
  refresh: () => Promise<void>,
): { readonly live: LiveAnswer; readonly following: Following } {
  const [state, setState] = useState<{ readonly live: LiveAnswer; readonly following: Following }>({
    live: noAnswer,
    following: "none",
  });
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    // What a run has used is told of after its end, until the next one begins.
    if (runId === undefined) return setState(({ live }) => ({ live, following: "none" }));
    setState({ live: noAnswer, following: "none" });
    const over = new AbortController();
    void follow(runId, over.signal, {
      show: (live, following) => {
        if (!over.signal.aborted) setState({ live, following });
      },
      refresh: () => latest.current(),
    });
    return () => over.abort();
  }, [runId]);
  return state;
}

async function follow(
  id: string,
  signal: AbortSignal,
  {
    show,
    refresh,
  }: {
    readonly show: (live: LiveAnswer, following: Following) => void;
    readonly refresh: () => Promise<void>;
  },
): Promise<void> {
  let live = noAnswer;
  for (let after = 0; !signal.aborted; ) {
    try {
      const answer = await ask(
        "GET /chat/runs/:id/events",
        { segments: { id }, query: { after: String(after) } },
        signal,
      );
      after = answer.next;
      for (const event of answer.events) live = addEvent(live, event);
      // The entry stands before its pieces go.
      if (answer.gap || answer.events.some(isSettling)) await refresh();
      show(live, answer.over ? "none" : "here");
      if (answer.over && answer.events.length === 0) return;
    } catch (error) {
      if (signal.aborted) return;
      if (toFault(error).code === "CONSOLE_NOT_FOUND") return show(live, "elsewhere");
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
