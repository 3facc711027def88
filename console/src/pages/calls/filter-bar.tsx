import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { hasInvisible, showInvisible } from "../../../../src/base/index.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { nameState } from "../../parts/state-mark.tsx";
import { type FilterName, spans } from "./filters.ts";

const states = ["started", "completed", "failed", "denied", "cancelled", "unknown"] as const;
/** Typing is waited for so long. */
const pauseMs = 250;

/** What narrows the list. Each field is in the address of the page. */
export function FilterBar({
  filters,
  change,
}: {
  readonly filters: Readonly<Partial<Record<FilterName, string>>>;
  readonly change: (changed: Readonly<Partial<Record<FilterName, string>>>) => void;
}): VNode {
  const tools = useAnswer("GET /calls/count", { query: { by: "tool" } });
  const agents = useAnswer("GET /calls/count", { query: { by: "agent" } });
  const names = (agents.answer ?? []).map(({ value }) => value).filter((value) => value !== "");
  const others = Object.entries(filters).filter(([name]) => !shownFields.includes(name));
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter the calls"
      onSubmit={(event) => event.preventDefault()}
    >
      <TypedField
        label="Text"
        placeholder="Search arguments and results"
        value={filters.text ?? ""}
        search
        change={(text) => change({ text })}
      />
      <TypedField
        label="Tool"
        placeholder="Any tool"
        value={filters.tools ?? ""}
        choices={(tools.answer ?? []).map(({ value }) => value).filter((name) => !hasInvisible(name))}
        change={(value) => change({ tools: value })}
      />
      <Choice
        label="Outcome"
        none="Any outcome"
        value={filters.states ?? ""}
        choices={states.map((value) => ({ value, label: nameState(value) }))}
        change={(value) => change({ states: value })}
      />
      {(names.length > 0 || filters.agentId !== undefined) && (
        <Choice
          label="Agent"
          none="Any agent"
          value={filters.agentId ?? ""}
          choices={[...new Set([...names, ...[filters.agentId ?? []].flat()])].map((value) => ({
            value,
            label: showInvisible(value),
          }))}
          change={(value) => change({ agentId: value })}
        />
      )}
      <Choice
        label="Time"
        none="Any time"
        value={filters.last ?? ""}
        choices={spans}
        change={(value) => change({ last: value })}
      />
      {others.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Remove the filter ${name}`}
          onClick={() => change({ [name]: "" })}
        >
          {`${name}: ${showInvisible(value)}`} <span aria-hidden="true">×</span>
        </button>
      ))}
    </form>
  );
}

const shownFields: readonly string[] = ["text", "tools", "states", "agentId", "last"];

function Choice({
  label,
  none,
  value,
  choices,
  change,
}: {
  readonly label: string;
  readonly none: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly change: (value: string) => void;
}): VNode {
  return (
    <select
      aria-label={label}
      data-set={value !== ""}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    >
      <option value="">{none}</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** A field that counts once nobody types any more. */
function TypedField({
  label,
  placeholder,
  value,
  choices,
  search = false,
  change,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly choices?: readonly string[];
  readonly search?: boolean;
  readonly change: (value: string) => void;
}): VNode {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const list = `choices-${label.toLowerCase()}`;
  return (
    <>
      <input
        type="search"
        data-search={search || undefined}
        data-set={typed !== ""}
        aria-label={label}
        aria-keyshortcuts={search ? "/" : undefined}
        placeholder={placeholder}
        value={typed}
        list={choices === undefined ? undefined : list}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => latest.current(text), pauseMs);
        }}
      />
      {choices !== undefined && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
