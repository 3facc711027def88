import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type AnswerTo, ask } from "../net/api.ts";
import { session } from "../net/session.ts";
import { formatCount } from "../text/format.ts";
import { Text } from "../text/text.tsx";

/** What went wrong, with its code and a way to try again. */
export function Fault({
  fault,
  retry,
}: {
  readonly fault: { readonly error: string; readonly code: string | undefined };
  readonly retry?: () => void;
}): VNode {
  return (
    <div class="fault" role="alert">
      <p>
        <Text value={fault.error} />
      </p>
      <p class="fault-foot">
        {fault.code !== undefined && (
          <code>
            <Text value={fault.code} />
          </code>
        )}
        {retry && (
          <button type="button" class="quiet" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

/** There is nothing, and what to do so that there is. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** How long an answer takes before it is asked whether it waits for the index of calls, and how often. */
const indexingMs = 1000;

/** It is asked for; seen only if it takes long. It says so where the answer waits for calls to be indexed. */
export function Loading(): VNode {
  const [indexing, setIndexing] = useState<AnswerTo<"GET /indexing">["indexing"]>();
  useEffect(() => {
    const timer = setInterval(() => {
      if (session.value !== "open") return;
      ask("GET /indexing").then(
        (answer) => setIndexing(answer.indexing),
        () => setIndexing(undefined),
      );
    }, indexingMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="loading" role="status">
      {indexing === undefined
        ? "Loading…"
        : `${indexing.part === "calls" ? "Calls" : "Texts of calls"} are being indexed: ${formatCount(indexing.rows)} of ${formatCount(indexing.of)} rows`}
    </p>
  );
}
