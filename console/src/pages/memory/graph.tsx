import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { shellWord } from "../../../../src/base/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { TypedField } from "../../parts/filter-fields.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { go, toHref } from "../../shell/address.ts";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { type DrawnEdge, GraphDrawing } from "./graph-drawing.tsx";
import { MemoryPage } from "./memory-page.tsx";

type Around = AnswerTo<"GET /memory/nodes/:id">;

const depths = ["1", "2", "3"];
const usualDepth = "2";
/** The most nodes that the server gives. */
const mostNodes = "200";

/** A person, place or thing with what is around it, now or at another time. */
export function GraphPage({ id, query }: { readonly id: string; readonly query: URLSearchParams }): VNode {
  const agent = query.get("agent") ?? "";
  const name = query.get("name") ?? "";
  return (
    <MemoryPage
      view="memory/graph"
      agent={agent}
      changeAgent={(next) => go(toHref("memory/graph", { name, agent: next }), { replace: true })}
      command={`haft memory search --mode names ${shellWord(name === "" ? "NAME" : name)}${agent === "" ? "" : ` --agent ${shellWord(agent)}`}`}
      head={
        <form class="memory-filters" role="search" onSubmit={(event) => event.preventDefault()}>
          <TypedField
            label="Name"
            placeholder="The name of a person, a place or a thing"
            value={name}
            search
            change={(next) => go(toHref("memory/graph", { name: next.trim(), agent }), { replace: true })}
          />
        </form>
      }
    >
      {id !== "" ? (
        <Neighbourhood key={`${agent} ${id}`} id={id} agent={agent} name={name} query={query} />
      ) : name !== "" ? (
        <Named name={name} agent={agent} />
      ) : (
        <Empty title="Whose surroundings?">
          <p>
            Type a name above. A model finds in what is remembered how people, places and things are
            connected, and an agent can say so when it remembers something.
          </p>
        </Empty>
      )}
    </MemoryPage>
  );
}

/** Nodes that a name may mean. */
function Named({ name, agent }: { readonly name: string; readonly agent: string }): VNode {
  const { answer, fault, reload } = useAnswer("GET /memory/nodes", {
    query: { name, ...(agent !== "" && { agent }) },
  });
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  if (answer.length === 0)
    return (
      <Empty title="Nothing goes by this name">
        <p>
          Its beginning is enough, or one of its words.{" "}
          <a href={toHref("memory", { q: name, agent })}>Search the entries</a> for it instead.
        </p>
      </Empty>
    );
  return (
    <ul class="memory-rows" aria-label="What the name may mean">
      {answer.map(({ node, name: found, match }) => (
        <li key={node.id}>
          <a href={toHref(`memory/graph/${encodeURIComponent(node.id)}`, { name, agent })}>
            <span class="memory-name">
              <Text value={node.name} oneLine />
            </span>
            <span class="memory-text dim">
              <Text value={[node.type, ...node.aliases].join(", ")} oneLine />
            </span>
            <span class="memory-facts dim">
              {node.trust === "untrusted" && <span class="warning">from outside</span>}
              <span>
                {formatCounted(node.mentions, "entry", "entries")}, found by <Text value={match} oneLine />:{" "}
                <Text value={found} oneLine />
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Neighbourhood({
  id,
  agent,
  name,
  query,
}: {
  readonly id: string;
  readonly agent: string;
  readonly name: string;
  readonly query: URLSearchParams;
}): VNode {
  const depth = depths.find((one) => one === query.get("depth")) ?? usualDepth;
  const at = /^\d{1,16}$/.test(query.get("at") ?? "") ? (query.get("at") ?? "") : "";
  const asked = { depth, limit: mostNodes, ...(agent !== "" && { agent }) };
  const whole = useAnswer("GET /memory/nodes/:id", {
    segments: { id },
    query: { ...asked, former: "true" },
  });
  const then = useAnswer("GET /memory/nodes/:id", {
    segments: { id },
    query: { ...asked, ...(at !== "" && { at }) },
  });
  // What was asked for last stays until the next answer is there: the drawing does not blink while the slider moves.
  const kept = useRef<Around>(undefined);
  kept.current = then.answer ?? kept.current;
  useLiveReload(
    ["memory"],
    () => {
      whole.reload();
      then.reload();
    },
    1000,
  );
  const fault = whole.fault ?? then.fault;
  const change = (changed: { readonly at?: string; readonly depth?: string }, node = id) => {
    const next = { at, depth, ...changed };
    go(
      toHref(`memory/graph/${encodeURIComponent(node)}`, {
        name,
        agent,
        at: next.at,
        depth: next.depth === usualDepth ? "" : next.depth,
      }),
      { replace: node === id },
    );
  };
  const around = kept.current;
  if (whole.answer === undefined || around === undefined)
    return fault === undefined ? (
      <Loading />
    ) : (
      <Fault
        fault={fault}
        retry={() => {
          whole.reload();
          then.reload();
        }}
      />
    );
  return (
    <>
      {fault !== undefined && <Fault fault={fault} />}
      <div class="graph-head">
        <h2>
          Around <Text value={around.node.name} oneLine />
        </h2>
        <span class="dim">
          {formatCounted(around.neighbours.length, "node")}, {formatCounted(around.edges.length, "relation")}
          {around.cut && "; there is more than is shown"}
        </span>
        <select
          aria-label="How far"
          value={depth}
          onChange={(event) => change({ depth: event.currentTarget.value })}
        >
          {depths.map((one) => (
            <option key={one} value={one}>
              {one === "1" ? "1 step" : `${one} steps`}
            </option>
          ))}
        </select>
      </div>
      <TimeSlider around={whole.answer} at={at} change={(next) => change({ at: next })} />
      <Views
        whole={whole.answer}
        around={around}
        agent={agent}
        toNode={(node) => {
          change({}, node);
        }}
      />
    </>
  );
}

function Views({
  whole,
  around,
  agent,
  toNode,
}: {
  readonly whole: Around;
  readonly around: Around;
  readonly agent: string;
  readonly toNode: (id: string) => void;
}): VNode {
  const names = useMemo(
    () => new Map(listNodes(whole, around).map(({ node }) => [node.id, node.name])),
    [whole, around],
  );
  const shown = new Set(listNodes(around).map(({ node }) => node.id));
  const current = new Set(around.edges.map(toKey));
  const edges: readonly DrawnEdge[] = [
    ...new Map([...whole.edges, ...around.edges].map((edge) => [toKey(edge), edge])).values(),
  ]
    .filter(({ source, target }) => names.has(source) && names.has(target))
    .map((edge) => ({ ...edge, current: current.has(toKey(edge)) }));
  return (
    <div class="graph-columns">
      <GraphDrawing
        center={around.node.id}
        nodes={listNodes(whole, around).map(({ node, strength }) => ({
          id: node.id,
          name: node.name,
          strength,
          untrusted: node.trust === "untrusted",
        }))}
        edges={edges}
        shown={shown}
        open={toNode}
      />
      <div class="graph-lists">
        <Section title="Relations">
          {around.edges.length === 0 ? (
            <p class="dim">Nothing was so at this time.</p>
          ) : (
            <ul class="relations" aria-label="Relations">
              {around.edges.map((edge) => (
                <li key={toKey(edge)}>
                  <p>
                    <NodeLink id={edge.source} names={names} open={toNode} />{" "}
                    <span class="dim">
                      <Text value={edge.relation} oneLine />
                    </span>{" "}
                    <NodeLink id={edge.target} names={names} open={toNode} />
                  </p>
                  <p class="memory-facts dim">
                    {edge.trust === "untrusted" && <span class="warning">from outside</span>}
                    {edge.sources.slice(0, 1).map(({ entryId, validFrom, validTo }) => (
                      <span key={entryId}>
                        <a href={toHref(`memory/entry/${encodeURIComponent(entryId)}`, { agent })}>
                          said by {formatCounted(edge.weight, "entry", "entries")}
                        </a>
                        {validFrom !== undefined && (
                          <>
                            , from <Time at={validFrom} seconds={false} />
                          </>
                        )}
                        {validTo !== undefined && (
                          <>
                            , until <Time at={validTo} seconds={false} />
                          </>
                        )}
                      </span>
                    ))}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Section>
        <Section title="Entries about it">
          {around.entries.length === 0 ? (
            <p class="dim">No entry names it.</p>
          ) : (
            <ul class="mentions">
              {around.entries.map((entry) => (
                <li key={entry.id}>
                  <a href={toHref(`memory/entry/${encodeURIComponent(entry.id)}`, { agent })}>
                    <Text value={entry.title ?? entry.label ?? entry.text.slice(0, 120)} oneLine />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
    </div>
  );
}

function NodeLink({
  id,
  names,
  open,
}: {
  readonly id: string;
  readonly names: ReadonlyMap<string, string>;
  readonly open: (id: string) => void;
}): VNode {
  return (
    <button type="button" class="link" onClick={() => open(id)}>
      <Text value={names.get(id) ?? id} oneLine />
    </button>
  );
}

/** Moves through the times at which something began or ceased to be so; nothing where there is no such time. */
function TimeSlider({
  around,
  at,
  change,
}: {
  readonly around: Around;
  readonly at: string;
  readonly change: (at: string) => void;
}): VNode | null {
  const times = around.edges
    .flatMap(({ sources }) => sources.flatMap(({ validFrom, validTo }) => [validFrom, validTo]))
    .filter((time) => time !== undefined);
  const { chosen, choose, settle } = useSettled({
    value: at === "" ? undefined : Number(at),
    change: (next) => change(next === undefined ? "" : String(next)),
    pauseMs: 120,
  });
  const until = useMemo(() => Date.now(), []);
  if (times.length === 0) return null;
  const day = 86_400_000;
  const first = Math.min(...times, until) - day;
  const last = Math.max(...times, until) + day;
  const value = chosen ?? until;
  return (
    <div class="time-slider">
      <label>
        <span class="dim">As it was</span>
        <input
          type="range"
          min={first}
          max={last}
          step={Math.max(1, Math.round((last - first) / 500))}
          value={value}
          aria-valuetext={new Date(value).toLocaleDateString("sv-SE")}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
      </label>
      <output>{chosen === undefined ? "now" : new Date(value).toLocaleDateString("sv-SE")}</output>
      <button
        type="button"
        class="quiet"
        disabled={chosen === undefined}
        onClick={() => {
          choose(undefined);
          settle();
        }}
      >
        Now
      </button>
    </div>
  );
}

interface StrongNode {
  readonly node: Around["node"];
  readonly strength: number;
}

/** The nodes of graphs, each once. */
function listNodes(...graphs: readonly Around[]): readonly StrongNode[] {
  const all = graphs.flatMap(({ node, neighbours }): StrongNode[] => [{ node, strength: 1 }, ...neighbours]);
  return [...new Map(all.toReversed().map((one) => [one.node.id, one])).values()];
}

function toKey({ source, relation, target }: Around["edges"][number]): string {
  return JSON.stringify([source, relation, target]);
}
