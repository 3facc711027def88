import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { usePoll } from "../../parts/use-poll.ts";
import { toHref } from "../../shell/address.ts";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { ServerMark, type ServerState, toServerHref } from "./server-state.tsx";

/** All MCP servers of the configuration, and how each is. */
export function ServersList(): VNode {
  const { answer, fault, reload } = useAnswer("GET /servers");
  useLiveReload(["call"], reload, 2000);
  usePoll(reload, answer?.some(({ status }) => status === "connecting") === true ? 1000 : 5000);
  const list = useRef<HTMLUListElement>(null);
  useKeys(({ key }) => {
    const by = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])];
    if (by === 0 || links.length === 0) return false;
    const at = links.findIndex((link) => link === document.activeElement);
    links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
    return true;
  });
  const add = toHref("servers", { add: "1" });
  return (
    <Page title="Servers" command="haft mcp status" class="servers-page" head={<a href={add}>Add servers</a>}>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : answer.length === 0 ? (
        <Empty title="No server is configured">
          <p>
            An MCP server brings tools of another program. <a href={add}>Paste its JSON</a>, or run{" "}
            <code>haft mcp add</code>.
          </p>
        </Empty>
      ) : (
        <ul class="server-list" ref={list} aria-label="Servers">
          {answer.map((state) => (
            <li key={`${state.server} ${state.file ?? ""}`}>
              <ServerCard state={state} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

function ServerCard({ state }: { readonly state: ServerState }): VNode {
  const { server, reason, tools, calls, failures, serverInfo, transport, quarantined, problems } = state;
  const wrong = quarantined.length + problems.length;
  return (
    <a class="server-card" href={toServerHref(server)}>
      <strong>
        <Text value={server} oneLine />
      </strong>
      <ServerMark state={state} />
      <span class="dim server-what">
        <Text
          value={[serverInfo && `${serverInfo.name} ${serverInfo.version}`, transport]
            .filter(Boolean)
            .join(", ")}
        />
      </span>
      <span class="server-counts dim">
        {formatCounted(tools, "tool")} · {formatCounted(calls, "call")}
        {failures > 0 && <span class="bad"> · {formatCount(failures)} failed</span>}
        {wrong > 0 && <span class="warning"> · {formatCounted(wrong, "problem")}</span>}
      </span>
      {reason !== undefined && (
        <span class="server-reason">
          <Text value={reason} oneLine />
        </span>
      )}
    </a>
  );
}
