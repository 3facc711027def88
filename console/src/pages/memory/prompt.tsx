import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { formatCount, formatCounted } from "../../text/format.ts";
import { LongText } from "../../text/text.tsx";
import { EntryMarks, EntryName } from "./entry-list.tsx";
import { MemoryPage } from "./memory-page.tsx";

const budgets = ["500", "1000", "2000", "4000", "8000"];
const usual = "2000";

/** What of memory goes into every prompt, with what it takes. */
export function PromptPage({ query }: { readonly query: URLSearchParams }): VNode {
  const agent = query.get("agent") ?? "";
  const budget = budgets.find((one) => one === query.get("budget")) ?? usual;
  const { answer, fault, reload } = useAnswer("GET /memory/prompt", {
    query: { budget, ...(agent !== "" && { agent }) },
  });
  useLiveReload(["memory"], reload);
  const change = (changed: { readonly agent?: string; readonly budget?: string }) => {
    const next = { agent, budget, ...changed };
    go(toHref("memory/prompt", { agent: next.agent, budget: next.budget === usual ? "" : next.budget }), {
      replace: true,
    });
  };
  return (
    <MemoryPage
      view="memory/prompt"
      agent={agent}
      changeAgent={(next) => change({ agent: next })}
      command={`haft memory context${budget === usual ? "" : ` --budget ${budget}`}${agent === "" ? "" : ` --agent ${shellWord(agent)}`}`}
    >
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <>
          <div class="prompt-budget">
            <p>
              <strong>{formatCount(answer.tokens)}</strong> of {formatCount(Number(budget))} tokens
              {answer.leftOut > 0 && (
                <span class="warning">
                  , {formatCounted(answer.leftOut, "entry has", "entries have")} no room
                </span>
              )}
            </p>
            <meter
              aria-label="Tokens that are used"
              min={0}
              max={Number(budget)}
              value={Math.min(answer.tokens, Number(budget))}
            />
            <select
              aria-label="Room in the prompt"
              value={budget}
              onChange={(event) => change({ budget: event.currentTarget.value })}
            >
              {budgets.map((one) => (
                <option key={one} value={one}>
                  {formatCount(Number(one))} tokens
                </option>
              ))}
            </select>
          </div>
          {answer.text === "" ? (
            <Empty title="Nothing goes into prompts by itself">
              <p>
                Blocks of the tier <code>core</code> and pinned entries do:{" "}
                <code>haft memory add --label persona --tier core 'Be brief.'</code>
              </p>
            </Empty>
          ) : (
            <div class="memory-columns">
              <Section title="The text" aside={<CopyButton text={answer.text} label="the text" />}>
                <LongText value={answer.text} label="What goes into every prompt" />
              </Section>
              <Section title="Made of">
                <ol class="prompt-entries">
                  {answer.entries.map((entry) => (
                    <li key={entry.id}>
                      <a href={toHref(`memory/entry/${encodeURIComponent(entry.id)}`, { agent })}>
                        <EntryName entry={entry} />
                      </a>
                      <span class="memory-facts dim">
                        <EntryMarks entry={entry} />
                      </span>
                    </li>
                  ))}
                </ol>
              </Section>
            </div>
          )}
        </>
      )}
    </MemoryPage>
  );
}
