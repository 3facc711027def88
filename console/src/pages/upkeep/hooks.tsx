import "./upkeep.css";
import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Since, Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import type { PageProps } from "../../shell/page-props.ts";
import { formatCount, formatCounted, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";

type HooksAnswer = AnswerTo<"GET /hooks">;
type Hook = HooksAnswer["hooks"][number];

/** Commands that are asked before and after calls: all of them, or the one that the address names. */
export default function Hooks({ rest: [id] }: PageProps): VNode {
  const { answer, fault, reload } = useAnswer("GET /hooks");
  useLiveReload(["call"], reload, 2000);
  const hook = answer?.hooks.find((one) => one.id === id);
  const isOne = id !== undefined && id !== "";
  return (
    <Page
      key={id}
      title={isOne ? `Hook ${id}` : "Hooks"}
      command={isOne ? `haft hooks show ${shellWord(id)}` : "haft hooks"}
      head={isOne && <a href={toHref("hooks")}>All hooks</a>}
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : !isOne ? (
        <HookList {...answer} />
      ) : hook === undefined ? (
        <Empty title="No such hook">
          <p>
            It may have been renamed or taken out. <a href={toHref("hooks")}>All hooks</a> shows what there
            is.
          </p>
        </Empty>
      ) : (
        <HookDetail hook={hook} />
      )}
    </Page>
  );
}

function HookList({ hooks, problems }: HooksAnswer): VNode {
  return (
    <>
      {problems.length > 0 && (
        <Section title="Problems">
          <ul class="upkeep-rows">
            {problems.map(({ where, message }) => (
              <li key={where + message} class="problem">
                <code>
                  <Text value={where} oneLine />
                </code>
                <Text value={message} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {hooks.length === 0 ? (
        <Empty title="No hooks">
          <p>
            A hook is a command that is asked before a call, and can refuse it, or that hears of a call after
            it. Write one under <code>hooks</code> in <code>haft.config.yml</code>, or as a Markdown file in{" "}
            <code>agent/hooks</code>.
          </p>
        </Empty>
      ) : (
        <ul class="upkeep-rows" aria-label="Hooks">
          {hooks.map((hook) => (
            <li key={hook.id} class="hook-row">
              <p>
                <a href={toHref(`hooks/${encodeURIComponent(hook.id)}`)}>
                  <strong>
                    <Text value={hook.name} oneLine />
                  </strong>
                </a>{" "}
                <span class="dim">
                  {describeTime(hook)}{" "}
                  {hook.tools.length === 0 ? "every call" : <ToolNames tools={hook.tools} />}
                  {!hook.enabled && ", switched off"}
                </span>
              </p>
              <p class="hook-counts dim">
                <Counts hook={hook} />
              </p>
              <span class="hook-command">
                <Text value={hook.command} oneLine />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Counts({ hook: { runs, blocks, errors, lastRunAt } }: { readonly hook: Hook }): VNode {
  if (runs === 0) return <>never ran</>;
  return (
    <>
      {formatCounted(runs, "run")}
      {blocks > 0 && `, ${formatCount(blocks)} refused`}
      {errors > 0 && <span class="warning">, {formatCounted(errors, "failure")}</span>}
      {lastRunAt !== undefined && (
        <>
          , last <Since at={lastRunAt} /> ago
        </>
      )}
    </>
  );
}

function ToolNames({ tools }: { readonly tools: readonly string[] }): VNode {
  return (
    <>
      {"calls of "}
      <Text value={tools.join(", ")} oneLine />
    </>
  );
}

function HookDetail({ hook }: { readonly hook: Hook }): VNode {
  const { runs, blocks, errors, meanMs, lastRunAt, lastError } = hook;
  return (
    <>
      {hook.description !== "" && (
        <p>
          <Text value={hook.description} />
        </p>
      )}
      <Section title="Command" aside={<CopyButton text={hook.command} label="the command" />}>
        <LongText value={hook.command} label="Command" />
      </Section>
      <Section title="When it runs">
        <Facts
          facts={[
            [
              "Asked",
              <>
                {describeTime(hook)}{" "}
                {hook.tools.length === 0 ? "every call" : <ToolNames tools={hook.tools} />}
              </>,
            ],
            ["State", hook.enabled ? "on" : "off"],
            ["Its no, or its failure", describeNo(hook)],
            ["Time limit", formatMs(hook.timeoutMs)],
            ["Priority", formatCount(hook.priority)],
            [
              "May reach",
              hook.hosts.length === 0 ? "no host" : <Text value={hook.hosts.join(", ")} oneLine />,
            ],
            ["Stands in", <Text value={hook.file} oneLine />],
          ]}
        />
      </Section>
      <Section title="Runs">
        {runs === 0 ? (
          <p class="dim">It never ran.</p>
        ) : (
          <Facts
            facts={[
              ["Runs", formatCount(runs)],
              ["Refused", formatCount(blocks)],
              ["Failures", formatCount(errors)],
              ["Mean time", formatMs(meanMs)],
              ["Last run", lastRunAt !== undefined && <Time at={lastRunAt} />],
            ]}
          />
        )}
      </Section>
      {lastError !== undefined && (
        <Section title="Last failure" aside={<CopyButton text={lastError} label="the last failure" />}>
          <LongText value={lastError} label="Why it failed last, with its output" colours />
        </Section>
      )}
    </>
  );
}

function describeNo({ blocking, type }: Hook): string {
  if (!blocking) return "becomes a note in the result";
  return type === "pre_tool" ? "blocks the call" : "withholds the result";
}

function describeTime({ type }: Hook): string {
  return type === "pre_tool" ? "before" : "after";
}
