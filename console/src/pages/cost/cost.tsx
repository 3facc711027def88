import "../../parts/tables.css";
import "./cost.css";
import type { VNode } from "preact";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import type { PageProps } from "../../shell/page-props.ts";
import { Budgets } from "./budgets.tsx";
import { CompareSpans } from "./compare-spans.tsx";
import { DayPlots } from "./day-plots.tsx";
import { type CostAnswer, Figures } from "./figures.tsx";
import { ToolTable, UsageTable } from "./usage-tables.tsx";

const ways = ["day", "model", "agent", "purpose", "tool"] as const;
type Way = (typeof ways)[number];
const wayWords: Readonly<Record<Way, string>> = {
  day: "By day",
  model: "By model",
  agent: "By agent",
  purpose: "By purpose",
  tool: "By tool",
};

const dayChoices: readonly (readonly [days: string, label: string])[] = [
  ["1", "Today"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
  ["365", "Last 365 days"],
];
const usualDays = "30";

/** What models cost and how fast tools are; or two spans of time compared. */
export default function Cost({ query }: PageProps): VNode {
  if (query.get("view") === "compare") return <CompareSpans query={query} tabs={<Tabs query={query} />} />;
  return <Spent query={query} />;
}

function Tabs({ query }: { readonly query: URLSearchParams }): VNode {
  const isComparing = query.get("view") === "compare";
  return (
    <nav class="tabs" aria-label="View">
      <a href={toHref("cost")} aria-current={isComparing ? undefined : "true"}>
        Spent
      </a>
      <a href={toHref("cost", { view: "compare" })} aria-current={isComparing ? "true" : undefined}>
        Compare two spans
      </a>
    </nav>
  );
}

function Spent({ query }: { readonly query: URLSearchParams }): VNode {
  const days = query.get("days") ?? usualDays;
  const way = ways.find((one) => one === query.get("by")) ?? "day";
  const { answer, fault, reload } = useAnswer("GET /cost", { query: { days } });
  useLiveReload(["run", "call"], reload, 5000);
  const to = (changed: { readonly days?: string; readonly by?: Way }) => {
    const { days: nextDays, by } = { days, by: way, ...changed };
    return toHref("cost", {
      days: nextDays === usualDays ? undefined : nextDays,
      by: by === "day" ? undefined : by,
    });
  };
  const command = `haft usage --days ${days.replaceAll(/\D/g, "")}${way === "day" ? "" : ` --by ${way}`}`;
  return (
    <Page
      title="Cost and speed"
      command={command}
      class="cost-page"
      head={
        <>
          <Tabs query={query} />
          <select
            aria-label="Span"
            value={days}
            onChange={(event) => go(to({ days: event.currentTarget.value }))}
          >
            {!dayChoices.some(([value]) => value === days) && (
              <option value={days}>{`Last ${days} days`}</option>
            )}
            {dayChoices.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <>
          <Figures cost={answer} />
          <Section title="Budgets of today">
            <Budgets budgets={answer.budgets} />
          </Section>
          <section class="section" aria-label={wayWords[way]}>
            <nav class="tabs cost-ways" aria-label="Added up">
              {ways.map((one) => (
                <a key={one} href={to({ by: one })} aria-current={one === way ? "true" : undefined}>
                  {wayWords[one]}
                </a>
              ))}
            </nav>
            <Shown cost={answer} way={way} />
          </section>
        </>
      )}
    </Page>
  );
}

function Shown({ cost, way }: { readonly cost: CostAnswer; readonly way: Way }): VNode {
  const isEmpty = way === "tool" ? cost.byTool.length === 0 : cost.total.calls === 0;
  if (isEmpty && (way !== "day" || cost.byTool.length === 0))
    return (
      <Empty title={way === "tool" ? "No tool was called in this time" : "No model was asked in this time"}>
        <p>
          Ask one with <code>haft run "…"</code> or <code>haft chat</code>, call a tool with{" "}
          <code>haft call TOOL</code>, or choose a longer span.
        </p>
      </Empty>
    );
  switch (way) {
    case "day":
      return <DayPlots cost={cost} />;
    case "model":
      return <UsageTable name="Model" by="model" totals={cost.byModel} />;
    case "agent":
      return <UsageTable name="Agent" by="agent" totals={cost.byAgent} />;
    case "purpose":
      return <UsageTable name="Purpose" by="purpose" totals={cost.byPurpose} />;
    case "tool":
      return <ToolTable tools={cost.byTool} />;
    default:
      return way satisfies never;
  }
}
