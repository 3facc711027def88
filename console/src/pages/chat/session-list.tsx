import type { VNode } from "preact";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { RunMark } from "./run-mark.tsx";

const most = 200;

/** The newest sessions. */
export function SessionList(): VNode {
  const { answer, fault, reload } = useAnswer("GET /chat/sessions", { query: { limit: String(most) } });
  useLiveReload(["session", "run"], reload, 1000);
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  return (
    <>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer.length === 0 ? (
        <Empty title="No session yet">
          <p>
            <a href={toHref("chat/new")}>Say something to an agent</a>, here or with <code>haft chat</code> in
            a terminal. It needs a model: <code>haft models</code> lists those there are, and how to add one.
          </p>
        </Empty>
      ) : (
        <ul class="sessions" aria-label="Sessions">
          {answer.map((session) => (
            <li key={session.id}>
              <a href={toHref(`chat/${encodeURIComponent(session.id)}`)}>
                <span class="session-title">
                  <Text value={session.title ?? "Without a title"} oneLine />
                </span>
                <span class="session-facts dim">
                  <RunMark run={session.run} />
                  <span>
                    <Text value={session.agentId} oneLine /> by <Text value={session.channel} oneLine />
                  </span>
                  {session.folder !== undefined && (
                    <span>
                      <Text value={session.folder} oneLine />
                    </span>
                  )}
                  <span>{formatCounted(session.lastSeq, "entry", "entries")}</span>
                  <Time at={session.changedAt} seconds={false} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
