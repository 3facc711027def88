import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Filters, spans } from "./filters.ts";

const kinds = ["block", "memory", "note", "profile", "message", "passage", "observation"];
const tiers = ["core", "working", "archival", "log"];
const same = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** Typing is waited for so long. */
const pauseMs = 250;

/** The search, and what narrows it. Each field is in the address of the page. */
export function FilterBar({
  filters,
  change,
}: {
  readonly filters: Filters;
  readonly change: (changed: Filters) => void;
}): VNode {
  return (
    <form
      class="memory-filters"
      role="search"
      aria-label="Search memory"
      onSubmit={(event) => event.preventDefault()}
    >
      <Typed
        label="Search"
        placeholder="Search as you would ask a person"
        value={filters.q ?? ""}
        search
        change={(q) => change({ q })}
      />
      <Choice
        label="Kind"
        none="Any kind"
        value={filters.kinds ?? ""}
        choices={same(kinds)}
        change={(value) => change({ kinds: value })}
      />
      <Choice
        label="Tier"
        none="Any tier"
        value={filters.tiers ?? ""}
        choices={same(tiers)}
        change={(value) => change({ tiers: value })}
      />
      <Typed
        label="Tag"
        placeholder="Any tag"
        value={filters.tags ?? ""}
        change={(tags) => change({ tags })}
      />
      <Typed
        label="Label begins with"
        placeholder="Any label"
        value={filters.label ?? ""}
        change={(label) => change({ label })}
      />
      <Choice
        label="Trust"
        none="From anywhere"
        value={filters.trust ?? ""}
        choices={[
          { value: "trusted", label: "From here" },
          { value: "untrusted", label: "From outside" },
        ]}
        change={(trust) => change({ trust })}
      />
      <Choice
        label="Time"
        none="Any time"
        value={filters.last ?? ""}
        choices={spans}
        change={(last) => change({ last })}
      />
      {filters.q === undefined && (
        <Choice
          label="State"
          none="In force"
          value={filters.show ?? ""}
          choices={[
            { value: "all", label: "Also former ones" },
            { value: "deleted", label: "Deleted" },
          ]}
          change={(show) => change({ show })}
        />
      )}
    </form>
  );
}

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
export function Typed({
  label,
  placeholder,
  value,
  search = false,
  change,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly search?: boolean;
  readonly change: (value: string) => void;
}): VNode {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      type="search"
      data-search={search || undefined}
      data-set={typed !== ""}
      aria-label={label}
      aria-keyshortcuts={search ? "/" : undefined}
      placeholder={placeholder}
      value={typed}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => latest.current(text.trim()), pauseMs);
      }}
    />
  );
}
