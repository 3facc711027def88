import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { go, toHref } from "../../shell/address.ts";
import { useKeys } from "../../shell/keys.ts";
import { formatCount, formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { type Filters, orderFilters, readFilters, toCommand, toMemoryAddress } from "./filters.ts";
import { MemoryPage } from "./memory-page.tsx";

type Hit = AnswerTo<"GET /memory/search">["hits"][number];
type Entry = Hit["entry"];

const pageSize = 50;

/** What found an entry, in words. */
const why: Readonly<Record<Hit["match"], string>> = {
  name: "the query says its name",
  "full-text": "by its words",
  embedding: "by its meaning",
  "full-text and embedding": "by its words and its meaning",
  graph: "it is about what better hits name",
  keyword: "by a run of characters",
};

/** Entries, those that were changed last first; or what a search found, the best first. */
export function EntryList({ query }: { readonly query: URLSearchParams }): VNode {
  const filters = readFilters(query);
  const change = (changed: Filters) =>
    go(toHref("memory", orderFilters({ ...filters, ...changed })), { replace: true });
  const isFiltered = Object.keys(filters).some((name) => name !== "agent");
  const clear = () => go(toHref("memory", { agent: filters.agent }));
  return (
    <MemoryPage
      view="memory"
      agent={filters.agent ?? ""}
      changeAgent={(agent) => change({ agent })}
      command={toCommand(filters)}
      head={<FilterBar filters={filters} change={change} />}
    >
      {filters.q === undefined ? (
        <Listed filters={filters} query={query} isFiltered={isFiltered} clear={clear} />
      ) : (
        <Found filters={filters} query={query} text={filters.q} clear={clear} />
      )}
    </MemoryPage>
  );
}

function Listed({
  filters,
  query,
  isFiltered,
  clear,
}: {
  readonly filters: Filters;
  readonly query: URLSearchParams;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}): VNode {
  const address = useMemo(() => toMemoryAddress(filters, Date.now()), [JSON.stringify(filters)]);
  const after = query.get("after") ?? "";
  const { answer, fault, reload } = useAnswer("GET /memory", {
    query: {
      ...address,
      limit: String(pageSize),
      ...(filters.show === "all" && { all: "true" }),
      ...(filters.show === "deleted" && { deleted: "true" }),
      ...(after !== "" && { after }),
    },
  });
  useLiveReload(["memory"], reload);
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  const { entries, total, next } = answer;
  if (entries.length === 0)
    return isFiltered || after !== "" ? (
      <NothingFits clear={clear} />
    ) : (
      <Empty title="Nothing is remembered yet">
        <p>
          Agents remember by their memory tools, and conversations are noted by themselves. Remember a first
          thing: <code>haft memory add 'Ada is allergic to nuts'</code>
        </p>
      </Empty>
    );
  return (
    <>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      <Rows label="Entries" entries={entries} agent={filters.agent} />
      <Foot
        text={
          total === undefined
            ? formatCounted(entries.length, "deleted entry", "deleted entries")
            : `${total >= 10_000 ? "10,000 or more" : formatCount(total)} ${total === 1 ? "entry" : "entries"}`
        }
        first={after === "" ? undefined : toHref("memory", orderFilters(filters))}
        next={next === undefined ? undefined : toHref("memory", { ...orderFilters(filters), after: next })}
      />
    </>
  );
}

function Found({
  filters,
  query,
  text,
  clear,
}: {
  readonly filters: Filters;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly clear: () => void;
}): VNode {
  const address = useMemo(() => toMemoryAddress(filters, Date.now()), [JSON.stringify(filters)]);
  const offset = /^\d{1,4}$/.test(query.get("offset") ?? "") ? Number(query.get("offset")) : 0;
  const { answer, fault, reload } = useAnswer("GET /memory/search", {
    query: { ...address, q: text, limit: String(pageSize), ...(offset > 0 && { offset: String(offset) }) },
  });
  useLiveReload(["memory"], reload, 2000);
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  const { hits, total, by, time, note } = answer;
  const end = offset + hits.length;
  return (
    <>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {note !== undefined && (
        <p class="dim">
          <Text value={note} />
        </p>
      )}
      {time !== undefined && (
        <p class="dim">
          "<Text value={time.phrase} oneLine />" was read as a time: only what was said from{" "}
          <Time at={time.since} seconds={false} /> to <Time at={time.until} seconds={false} /> is left.
        </p>
      )}
      {hits.length === 0 ? (
        <NothingFits clear={clear} />
      ) : (
        <>
          <Rows
            label="What was found"
            entries={hits.map(({ entry }) => entry)}
            agent={filters.agent}
            getNote={(at) => {
              const hit = hits[at];
              return hit === undefined ? null : <Why hit={hit} />;
            }}
          />
          <Foot
            text={`${formatCounted(total, "entry", "entries")} found by ${showInvisible(by)}`}
            first={offset === 0 ? undefined : toHref("memory", orderFilters(filters))}
            next={
              end >= total || hits.length < pageSize
                ? undefined
                : toHref("memory", { ...orderFilters(filters), offset: String(end) })
            }
          />
        </>
      )}
    </>
  );
}

/** What found it, and how well it fits beside the others. */
function Why({ hit: { match, score } }: { readonly hit: Hit }): VNode {
  return (
    <span class="why">
      <span class="score" aria-hidden="true">
        <span style={{ width: `${Math.round(Math.min(1, Math.max(0, score)) * 100)}%` }} />
      </span>
      Found: {why[match] ?? "otherwise"}
      <span class="unseen">, score {Math.round(score * 100)} of 100</span>
    </span>
  );
}

function NothingFits({ clear }: { readonly clear: () => void }): VNode {
  return (
    <Empty title="No entry fits">
      <p>Other words, another kind or a longer time may.</p>
      <button type="button" onClick={clear}>
        Show all entries
      </button>
    </Empty>
  );
}

function Rows({
  entries,
  agent,
  label,
  getNote,
}: {
  readonly entries: readonly Entry[];
  readonly agent: string | undefined;
  readonly label: string;
  readonly getNote?: (at: number) => ComponentChildren;
}): VNode {
  useKeys((event) => {
    const links = [...document.querySelectorAll<HTMLElement>(".memory-rows a")];
    const at = links.findIndex((link) => link === document.activeElement);
    const to = event.key === "j" ? at + 1 : event.key === "k" ? Math.max(0, at - 1) : -1;
    if (to < 0) return false;
    links[Math.min(to, links.length - 1)]?.focus();
    return true;
  });
  return (
    <ul class="memory-rows" aria-label={label}>
      {entries.map((entry, at) => (
        <li key={entry.id}>
          <a href={toHref(`memory/entry/${encodeURIComponent(entry.id)}`, { agent })}>
            <span class="memory-name">
              <EntryName entry={entry} />
            </span>
            <span class="memory-text dim">
              <Text value={entry.text.slice(0, 300)} oneLine />
            </span>
            <span class="memory-facts dim">
              <EntryMarks entry={entry} />
              <Time at={entry.changedAt} seconds={false} />
            </span>
            {getNote?.(at)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What an entry goes by: its title, its label, or what it is. */
export function EntryName({ entry: { title, label, kind } }: { readonly entry: Entry }): VNode {
  return <Text value={title ?? label ?? kind} oneLine />;
}

/** What sets an entry apart, in few words. */
export function EntryMarks({ entry }: { readonly entry: Entry }): VNode {
  const { kind, tier, tags, trust, pinned, deletedAt, supersededBy } = entry;
  return (
    <>
      <span>
        <Text value={kind} oneLine />, <Text value={tier} oneLine />
        {pinned && ", pinned"}
      </span>
      {trust === "untrusted" && <span class="warning">from outside</span>}
      {deletedAt !== undefined && <span class="warning">deleted</span>}
      {supersededBy !== undefined && <span>superseded</span>}
      {tags.slice(0, 4).map((tag) => (
        <span key={tag} class="tag">
          <Text value={tag} oneLine />
        </span>
      ))}
    </>
  );
}

function Foot({
  text,
  first,
  next,
}: {
  readonly text: string;
  readonly first: string | undefined;
  readonly next: string | undefined;
}): VNode {
  return (
    <nav class="memory-foot" aria-label="Pages of entries">
      <span class="dim">{text}</span>
      {first !== undefined && <a href={first}>From the first</a>}
      {next !== undefined && <a href={next}>Next {pageSize}</a>}
    </nav>
  );
}
