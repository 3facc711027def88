import { useEffect, useRef } from "preact/hooks";

/** Asks again and again while something is under way that the stream does not tell of, and the tab is seen. */
export function usePoll(reload: () => void, everyMs: number): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
