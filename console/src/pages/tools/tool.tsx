import type { VNode } from "preact";
import type { ToolDetail } from "../../../../src/server/console/api/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/section.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { Since } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { listHints, readTarget, type Target, targets, toToolHref } from "./tool-types.ts";

/** One tool: what it is, how its calls went, and how each model's API is given it. */
export function ToolPage({ name, query }: { readonly name: string; readonly query: URLSearchParams }): VNode {
  const { answer, fault, reload } = useAnswer("GET /tools/:name", { segments: { name } });
  useLiveReload(["call"], reload, 2000);
  return (
    <Page
      title={answer?.tool.name ?? name}
      command={answer?.command ?? "haft tools"}
      class="tool-page"
      head={answer && <a href={toToolHref(answer.tool.name, "try")}>Try it</a>}
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <Detail detail={answer} target={readTarget(query)} />
      )}
    </Page>
  );
}

function Detail({ detail, target }: { readonly detail: ToolDetail; readonly target: Target }): VNode {
  const { tool, obstacles } = detail;
  return (
    <div class="tool-columns">
      <div class="tool-main">
        <Section title={tool.title ?? "What it does"}>
          <p class="tool-description">
            <Text value={tool.description} />
          </p>
        </Section>
        {obstacles.length > 0 && (
          <Section title="What is in its way">
            <ul class="obstacles">
              {obstacles.map(({ part, message, remedy }) => (
                <li key={`${part} ${message}`}>
                  <span class="warning">
                    Not <Text value={part} oneLine />:
                  </span>{" "}
                  <Text value={message} />
                  {remedy !== undefined && (
                    <span class="dim tool-about">
                      <Text value={remedy} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </Section>
        )}
        <Forms detail={detail} target={target} />
      </div>
      <aside class="tool-side" aria-label="About the tool">
        <Section title="Facts">
          <Facts
            facts={[
              ["From", <Origin key="from" detail={detail} />],
              ["Category", <Text key="category" value={tool.category} />],
              ["Version", <Text key="version" value={tool.version} />],
              ["It says", listHints(tool.annotations).join(", ")],
            ]}
          />
        </Section>
        <Outcomes detail={detail} />
        <Versions versions={detail.versions} />
      </aside>
    </div>
  );
}

function Origin({ detail: { kind, pack } }: { readonly detail: ToolDetail }): VNode {
  return kind === "server" ? (
    <a href={toHref(`servers/${encodeURIComponent(pack)}`)}>
      server <Text value={pack} />
    </a>
  ) : (
    <a href={toHref("tools", { pack })}>
      <Text value={pack} />
    </a>
  );
}

/** The definition as each model API is given it. The one that is shown is in the address. */
function Forms({ detail, target }: { readonly detail: ToolDetail; readonly target: Target }): VNode {
  const form = detail.forms.find((one) => one.target === target);
  const text = form?.definition === undefined ? undefined : JSON.stringify(form.definition, null, 2);
  return (
    <Section
      title="As models are given it"
      aside={text !== undefined && <CopyButton text={text} label="the definition" />}
    >
      <div class="tabs api-tabs" role="group" aria-label="Model API">
        {targets.map(({ value, label }) => (
          <a
            key={value}
            href={toHref(`tools/${encodeURIComponent(detail.tool.name)}`, {
              target: value === "openai" ? "" : value,
            })}
            aria-current={value === target ? "true" : undefined}
          >
            {label}
          </a>
        ))}
      </div>
      {text === undefined ? (
        <p class="warning">It can't be offered to this API: its schema says what the API has no words for.</p>
      ) : (
        <>
          <LongText value={text} label="The definition" />
          {form?.tokens !== undefined && (
            <p class="dim">{formatCounted(form.tokens, "token")} in each request that has it.</p>
          )}
        </>
      )}
    </Section>
  );
}

function Outcomes({ detail: { states, tool } }: { readonly detail: ToolDetail }): VNode {
  return (
    <Section
      title="Calls of 7 days"
      aside={<a href={toHref("calls", { tools: tool.name, last: "7d" })}>Show them</a>}
    >
      {states.length === 0 ? (
        <p class="dim">Nobody called it.</p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col" class="number">
                Calls
              </th>
              <th scope="col" class="number">
                p50
              </th>
              <th scope="col" class="number">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {states.map(({ value, calls, p50Ms, p95Ms }) => (
              <tr key={value}>
                <td>
                  <a href={toHref("calls", { tools: tool.name, states: value, last: "7d" })}>
                    <StateMark state={value} />
                  </a>
                </td>
                <td class="number">{formatCount(calls)}</td>
                <td class="number">{p50Ms === undefined ? "–" : formatMs(p50Ms)}</td>
                <td class="number">{p95Ms === undefined ? "–" : formatMs(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Versions({ versions }: { readonly versions: ToolDetail["versions"] }): VNode | null {
  if (versions.length === 0) return null;
  return (
    <Section title="Versions, all calls">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col" class="number">
              Average
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ version, share, calls, failed, averageMs, lastAt }) => (
            <tr key={version}>
              <td>
                <Text value={version} oneLine />
                <span class="dim tool-about">
                  {share === undefined
                    ? "gone"
                    : share === 100
                      ? "in use"
                      : `${Math.round(share)} % of calls`}
                  {lastAt !== undefined && (
                    <>
                      , last <Since at={lastAt} /> ago
                    </>
                  )}
                </span>
              </td>
              <td class="number">{formatCount(calls)}</td>
              <td class="number">{formatCount(failed)}</td>
              <td class="number">{averageMs === undefined ? "–" : formatMs(averageMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
