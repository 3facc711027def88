import type { VNode } from "preact";
import type { ServerDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Facts } from "../../parts/facts.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Since, Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { usePoll } from "../../parts/use-poll.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { Login } from "./login.tsx";
import { describeRemedy, ServerMark, type ServerState } from "./server-state.tsx";
import { Waiting } from "./waiting.tsx";

/** One server: how it is and why, what it offers and what it changed, and what can be done about it. */
export function ServerPage({ name }: { readonly name: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /server", { query: { name } });
  useLiveReload(["call"], reload, 2000);
  const isMoving = answer?.state.status === "connecting" || answer?.loginState?.state === "waiting";
  usePoll(reload, isMoving ? 1000 : 5000);
  return (
    <Page
      title={answer?.state.server ?? name}
      command={answer?.command ?? "haft mcp status"}
      class="server-page"
      head={answer && <ServerMark state={answer.state} />}
    >
      <a class="to-all" href={toHref("servers")}>
        All servers
      </a>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? fault === undefined && <Loading /> : <Detail detail={answer} reload={reload} />}
    </Page>
  );
}

function Detail({ detail, reload }: { readonly detail: ServerDetail; readonly reload: () => void }): VNode {
  const { state, server, waiting, stderr } = detail;
  return (
    <div class="tool-columns">
      <div class="tool-main">
        <Trouble state={state} isProgram={server?.command !== undefined} />
        {server?.url !== undefined && <Login detail={detail} reload={reload} />}
        {waiting.length > 0 && (
          <Section
            title={`${formatCounted(waiting.length, "definition waits", "definitions wait")} for your yes`}
          >
            {waiting.map((one) => (
              <Waiting key={`${one.tool} ${one.after}`} server={state.server} waiting={one} reload={reload} />
            ))}
          </Section>
        )}
        <OfferedTools detail={detail} />
        {server?.command !== undefined && (
          <Section title="What it said beside the protocol">
            {stderr === "" ? (
              <p class="dim">Nothing.</p>
            ) : (
              <LongText value={stderr} label="The end of its standard error" colours />
            )}
          </Section>
        )}
      </div>
      <aside class="tool-side" aria-label="About the server">
        <Actions state={state} reload={reload} />
        <Section title="Facts">
          <Facts facts={listFacts(detail)} />
        </Section>
        {server !== undefined && (
          <Section title="Its entry">
            <LongText value={JSON.stringify(server, null, 2)} label="Its entry in the configuration" />
          </Section>
        )}
      </aside>
    </div>
  );
}

/** What is wrong with it, and what to do. */
function Trouble({
  state,
  isProgram,
}: {
  readonly state: ServerState;
  readonly isProgram: boolean;
}): VNode | null {
  const { reason, code, nextTryAt, problems, quarantined, status } = state;
  const isWell = status === "ready" || status === "connecting";
  if (reason === undefined && problems.length === 0 && quarantined.length === 0 && isWell) return null;
  const remedy = describeRemedy(state, isProgram);
  return (
    <Section title={status === "ready" ? "What is wrong" : "Why"}>
      <div class="trouble-box">
        {reason !== undefined && (
          <p>
            <Text value={reason} />
          </p>
        )}
        {remedy !== undefined && <p class="dim">{remedy}</p>}
        {(code !== undefined || nextTryAt !== undefined) && (
          <p class="dim trouble-foot">
            {code !== undefined && (
              <code>
                <Text value={code} />
              </code>
            )}
            {nextTryAt !== undefined && (
              <span>
                Next try at <Time at={nextTryAt} />
              </span>
            )}
          </p>
        )}
        {problems.map((problem) => (
          <p key={problem} class="warning">
            <Text value={problem} />
          </p>
        ))}
        {quarantined.map(({ name, reason: why }) => (
          <p key={name}>
            <strong>
              <Text value={name} oneLine />
            </strong>{" "}
            is not offered: <Text value={why} />
          </p>
        ))}
      </div>
    </Section>
  );
}

/** Servers that haft has no connection to, and makes none. */
const unconnected: readonly ServerState["status"][] = ["untrusted", "shadowed", "invalid", "disabled"];

function Actions({ state, reload }: { readonly state: ServerState; readonly reload: () => void }): VNode {
  const act = useAct();
  const off = act.busy || unconnected.includes(state.status);
  const body = { name: state.server };
  return (
    <Section title="Actions">
      <div class="actions">
        <button
          type="button"
          disabled={off}
          onClick={() =>
            act.run(async () => {
              const { ok, ms, error } = await ask("POST /server/test", { body });
              reload();
              return ok ? `It answered in ${formatMs(ms)}.` : `It did not answer: ${error ?? "no reason"}`;
            })
          }
        >
          Test it
        </button>
        <button
          type="button"
          disabled={off}
          onClick={() =>
            act.run(async () => {
              const now = await ask("POST /server/restart", { body });
              reload();
              return now.status === "ready" ? "It is connected anew." : `It is ${now.status} now.`;
            })
          }
        >
          Connect anew
        </button>
      </div>
      {act.busy && (
        <p class="dim" role="status">
          It is asked…
        </p>
      )}
      <Outcome act={act} />
    </Section>
  );
}

function listFacts({ state, place, triedAt, tokens }: ServerDetail): Parameters<typeof Facts>[0]["facts"] {
  const { transport, protocolVersion, serverInfo, listAgeMs, calls, failures, reconnects, strays, file } =
    state;
  return [
    ["Is", serverInfo && <Text value={`${serverInfo.name} ${serverInfo.version}`} />],
    ["Transport", transport && <Text value={transport} />],
    ["Protocol", protocolVersion && <Text value={protocolVersion} />],
    [
      "Tried",
      triedAt !== undefined && (
        <>
          <Time at={triedAt} /> (<Since at={triedAt} /> ago)
        </>
      ),
    ],
    ["List is", listAgeMs !== undefined && `${formatMs(listAgeMs)} old`],
    ["Tokens", tokens > 0 && `${formatCount(tokens)} for all its tools`],
    ["Calls", `${formatCount(calls)}, ${formatCount(failures)} failed`],
    ["Reconnects", reconnects > 0 && formatCount(reconnects)],
    ["Strays", strays > 0 && `${formatCounted(strays, "line")} that nobody asked for`],
    ["From", place && (place === "user" ? "your own file" : "the project's file")],
    ["File", file && <Text value={file} />],
  ];
}

function OfferedTools({ detail: { tools, state } }: { readonly detail: ServerDetail }): VNode {
  return (
    <Section title="Tools">
      {state.about !== undefined && (
        <p class="dim">
          <Text value={state.about} />
        </p>
      )}
      {tools.length === 0 ? (
        <p class="dim">It offers none.</p>
      ) : (
        <ul class="server-tools">
          {tools.map(({ name, description, tokens }) => (
            <li key={name}>
              <a href={toHref(`tools/${encodeURIComponent(name)}`)}>
                <Text value={name} oneLine />
              </a>
              <span class="dim">{formatCounted(tokens, "token")}</span>
              <span class="dim tool-about">
                <Text value={description.slice(0, 300)} oneLine />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
