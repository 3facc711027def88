import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { TaskDetail } from "../../../../src/server/console/api/index.ts";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { formatCount } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { states } from "./words.ts";

const firstEvents = 10;

/** What was said about a task after it was made. */
export function Notes({ notes }: { readonly notes: TaskDetail["notes"] }): VNode {
  return (
    <Section title="Notes">
      <ol class="task-told">
        {notes.map(({ seq, kind, label, text, trust, at }) => (
          <li key={seq}>
            <p class="task-facts">
              <strong>
                <Text value={kind.replaceAll("_", " ")} oneLine />
              </strong>
              {label !== "" && <Text value={label} oneLine />}
              {trust === "untrusted" && <span class="warning">from outside</span>}
              <span class="dim">
                <Time at={at} />
              </span>
            </p>
            <LongText value={text} label={`Note ${seq}`} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** What each attempt came to, the last first. */
export function Results({ results }: { readonly results: TaskDetail["results"] }): VNode {
  return (
    <Section title="Results">
      <ol class="task-told">
        {results.map((result) => (
          <li key={result.seq}>
            <p class="task-facts">
              <strong>
                Attempt {result.attempt}: <Text value={result.outcome.replaceAll("_", " ")} oneLine />
              </strong>
              {result.agentId !== undefined && (
                <span class="dim">
                  by <Text value={result.agentId} oneLine />
                </span>
              )}
              {result.tokens > 0 && <span class="dim">{formatCount(result.tokens)} tokens</span>}
              {result.trust === "untrusted" && <span class="warning">from outside</span>}
              {result.runId !== undefined && (
                <a href={toHref(`trace/${encodeURIComponent(result.runId)}`)}>
                  Trace<span class="unseen"> of attempt {result.attempt}</span>
                </a>
              )}
              <span class="dim">
                <Time at={result.at} />
              </span>
            </p>
            {result.error !== undefined && (
              <LongText value={result.error} label={`Why attempt ${result.attempt} failed`} colours />
            )}
            {result.summary !== "" && (
              <LongText value={result.summary} label={`What attempt ${result.attempt} came to`} />
            )}
            {result.filesChanged.length > 0 && (
              <p class="task-facts dim">
                Files:{" "}
                {result.filesChanged.map((file) => (
                  <code key={file}>
                    <Text value={file} oneLine />
                  </code>
                ))}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** What happened to a task, the newest first. */
export function History({ history }: { readonly history: TaskDetail["history"] }): VNode {
  const [shown, setShown] = useState(firstEvents);
  return (
    <Section title="History">
      <ol class="task-history">
        {history.slice(0, shown).map(({ seq, at, event, from, to, by, why }) => (
          <li key={seq}>
            <Time at={at} />
            <span>
              <strong>
                <Text value={event.toLowerCase().replaceAll("_", " ")} oneLine />
              </strong>
              {to !== undefined && from !== undefined && from !== to && (
                <span>
                  {" "}
                  {states[from][1]} → {states[to][1]}
                </span>
              )}
              {by !== undefined && (
                <span class="dim">
                  {" "}
                  by <Text value={by} oneLine />
                </span>
              )}
              {why !== undefined && (
                <span class="dim">
                  {": "}
                  <Text value={why} oneLine />
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {history.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown * 10)}>
          Show {history.length - shown} older events
        </button>
      )}
    </Section>
  );
}
