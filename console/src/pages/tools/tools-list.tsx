import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import type { ToolList } from "../../../../src/server/console/api/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Choice } from "../../parts/filter-fields.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount, formatCounted, formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { type ListedTool, readTarget, targets, toToolHref } from "./tool-types.ts";

const sorts = [
  { value: "name", label: "By name" },
  { value: "tokens", label: "Most tokens first" },
  { value: "calls", label: "Most calls first" },
  { value: "failed", label: "Most failures first" },
  { value: "p95", label: "Slowest first" },
] as const;
type Sort = (typeof sorts)[number]["value"];

/** What narrows and orders the list; each is in the address. */
interface Chosen {
  readonly text: string;
  readonly pack: string;
  readonly category: string;
  readonly sort: Sort;
}

/** All tools with what each costs and how its calls went. */
export function ToolsList({ query }: { readonly query: URLSearchParams }): VNode {
  const target = readTarget(query);
  const { answer, fault, reload } = useAnswer("GET /tools", { query: { target } });
  useLiveReload(["call"], reload, 2000);
  const chosen: Chosen = {
    text: query.get("text") ?? "",
    pack: query.get("pack") ?? "",
    category: query.get("category") ?? "",
    sort: sorts.find(({ value }) => value === query.get("sort"))?.value ?? "name",
  };
  const change = (changed: Partial<Chosen> & { readonly target?: string }) => {
    const { text, pack, category, sort, target: api } = { target, ...chosen, ...changed };
    go(
      toHref("tools", {
        text,
        pack,
        category,
        sort: sort === "name" ? "" : sort,
        target: api === "openai" ? "" : api,
      }),
      { replace: changed.text !== undefined },
    );
  };
  const shown = answer === undefined ? [] : chooseTools(answer.tools, chosen);
  const list = useRef<HTMLTableSectionElement>(null);
  useKeys(({ key }) => moveInList(list.current, key));
  return (
    <Page
      title="Tools"
      command={`haft tools --cost${target === "openai" ? "" : ` --target ${target}`}`}
      class="tools-page"
    >
      {answer !== undefined && answer.tools.length > 0 && (
        <Filters tools={answer.tools} chosen={chosen} target={target} change={change} />
      )}
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : answer.tools.length === 0 ? (
        <Empty title="There are no tools">
          <p>
            Packs are switched on in <code>haft.config.yml</code>; tools of other programs come with{" "}
            <a href={toHref("servers", { add: "1" })}>a server</a>.
          </p>
        </Empty>
      ) : (
        <>
          {shown.length === 0 ? (
            <Empty title="No tool fits">
              <p>
                <a href={toHref("tools")}>Show all {formatCount(answer.tools.length)}</a>
              </p>
            </Empty>
          ) : (
            <Table tools={shown} list={list} />
          )}
          <p class="dim tools-foot">
            {shown.length === answer.tools.length
              ? formatCounted(shown.length, "tool")
              : `${formatCount(shown.length)} of ${formatCounted(answer.tools.length, "tool")}`}
            . A list of all takes {formatCount(answer.whole.tokens)} tokens in each request, one of the core
            alone {formatCount(answer.lean.tokens)}. <Text value={answer.basis} />
          </p>
        </>
      )}
      {answer !== undefined && answer.quarantined.length > 0 && (
        <Quarantined quarantined={answer.quarantined} />
      )}
    </Page>
  );
}

function chooseTools(
  tools: readonly ListedTool[],
  { text, pack, category, sort }: Chosen,
): readonly ListedTool[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter((tool) => {
    const all =
      `${tool.name} ${tool.title ?? ""} ${tool.description} ${tool.pack} ${tool.category}`.toLowerCase();
    return (
      (pack === "" || tool.pack === pack) &&
      (category === "" || tool.category === category) &&
      words.every((word) => all.includes(word))
    );
  });
  const byName = (one: ListedTool, other: ListedTool) => (one.name < other.name ? -1 : 1);
  if (sort === "name") return found.toSorted(byName);
  const read = { tokens: "tokens", calls: "calls", failed: "failed", p95: "p95Ms" } as const;
  return found.toSorted(
    (one, other) => (other[read[sort]] ?? -1) - (one[read[sort]] ?? -1) || byName(one, other),
  );
}

/** Goes to the next or the one before of the links of a list. */
function moveInList(list: HTMLElement | null, key: string): boolean {
  const by = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
  if (by === 0 || list === null) return false;
  const links = [...list.querySelectorAll<HTMLElement>(".row-link")];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))];
  next?.focus();
  return next !== undefined;
}

function Filters({
  tools,
  chosen,
  target,
  change,
}: {
  readonly tools: readonly ListedTool[];
  readonly chosen: Chosen;
  readonly target: string;
  readonly change: (changed: Partial<Chosen> & { readonly target?: string }) => void;
}): VNode {
  const [typed, setTyped] = useState(chosen.text);
  const field = useRef<HTMLInputElement>(null);
  // The address follows what is typed: while somebody types, it is behind.
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(chosen.text);
  }, [chosen.text]);
  const names = (read: (tool: ListedTool) => string) => [...new Set(tools.map(read))].toSorted();
  return (
    <form
      class="tool-filters"
      role="search"
      aria-label="Filter the tools"
      onSubmit={(event) => event.preventDefault()}
    >
      <input
        ref={field}
        type="search"
        data-search
        aria-label="Text"
        aria-keyshortcuts="/"
        placeholder="Search names and descriptions"
        value={typed}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          change({ text: event.currentTarget.value });
        }}
      />
      <Choice
        label="Pack or server"
        none="Any pack or server"
        value={chosen.pack}
        choices={names(({ pack }) => pack).map(toChoice)}
        change={(pack) => change({ pack })}
      />
      <Choice
        label="Category"
        none="Any category"
        value={chosen.category}
        choices={names(({ category }) => category).map(toChoice)}
        change={(category) => change({ category })}
      />
      <Choice
        label="Order"
        value={chosen.sort}
        choices={sorts}
        change={(value) => change({ sort: sorts.find((sort) => sort.value === value)?.value ?? "name" })}
      />
      <Choice
        label="Count tokens for"
        value={target}
        choices={targets}
        change={(value) => change({ target: value })}
      />
    </form>
  );
}

function toChoice(value: string): { readonly value: string; readonly label: string } {
  return { value, label: showInvisible(value) };
}

function Table({
  tools,
  list,
}: {
  readonly tools: readonly ListedTool[];
  readonly list: { current: HTMLTableSectionElement | null };
}): VNode {
  return (
    <table class="table tools-table">
      <caption class="unseen">Tools, with their calls of the last 7 days</caption>
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">From</th>
          <th scope="col">Tier</th>
          <th scope="col">Version</th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col" class="number">
            Calls, 7 days
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="number">
            p50
          </th>
          <th scope="col" class="number">
            p95
          </th>
        </tr>
      </thead>
      <tbody ref={list}>
        {tools.map((tool) => (
          <Row key={tool.name} tool={tool} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ tool }: { readonly tool: ListedTool }): VNode {
  const { name, title, description, pack, category, tier, version, tokens, calls, failed, p50Ms, p95Ms } =
    tool;
  const state = describeUse(tool);
  return (
    <tr>
      <td class="tool-cell">
        <a class="row-link" href={toToolHref(name)}>
          <Text value={name} oneLine />
        </a>
        {state !== undefined && <span class="warning"> {state}</span>}
        <span class="dim tool-about">
          <Text value={(title ?? description).slice(0, 200)} oneLine />
        </span>
      </td>
      <td data-label="From">
        <Text value={pack} oneLine />
        {category !== pack && (
          <span class="dim tool-about">
            <Text value={category} oneLine />
          </span>
        )}
      </td>
      <td data-label="Tier">
        {tier === undefined ? <span class="dim">not offered</span> : <Text value={tier} oneLine />}
      </td>
      <td data-label="Version">
        <Text value={version} oneLine />
      </td>
      <td data-label="Tokens" class="number">
        {tokens === undefined ? "–" : formatCount(tokens)}
      </td>
      <td data-label="Calls" class="number">
        {formatCount(calls)}
      </td>
      <td data-label="Failed" class="number">
        {failed === 0 ? <span class="dim">0</span> : <span class="bad">{formatCount(failed)}</span>}
      </td>
      <td data-label="p50" class="number">
        {p50Ms === undefined ? <span class="dim">–</span> : formatMs(p50Ms)}
      </td>
      <td data-label="p95" class="number">
        {p95Ms === undefined ? <span class="dim">–</span> : formatMs(p95Ms)}
      </td>
    </tr>
  );
}

/** Whether something keeps agents from it, in a word. */
function describeUse({ allowed, callable }: ListedTool): string | undefined {
  if (!callable) return "can't be called";
  return allowed ? undefined : "not allowed";
}

function Quarantined({ quarantined }: { readonly quarantined: ToolList["quarantined"] }): VNode {
  return (
    <Section title="Put aside">
      <ul class="put-aside">
        {quarantined.map(({ name, reason, target }) => (
          <li key={`${name} ${target ?? ""}`}>
            <strong>
              <Text value={name} oneLine />
            </strong>{" "}
            can't be <Text value={target === undefined ? "used" : `offered to ${target}`} oneLine />:{" "}
            <Text value={reason} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
