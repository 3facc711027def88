import type { VNode } from "preact";
import { Choice, TypedField } from "../../parts/filter-fields.tsx";
import { type Filters, spans } from "./filters.ts";

const kinds = ["block", "memory", "note", "profile", "message", "passage", "observation"];
const tiers = ["core", "working", "archival", "log"];
const same = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

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
      <TypedField
        label="Search"
        placeholder="Search as you would ask a person"
        value={filters.q ?? ""}
        search
        change={(q) => change({ q: q.trim() })}
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
      <TypedField
        label="Tag"
        placeholder="Any tag"
        value={filters.tags ?? ""}
        change={(tags) => change({ tags: tags.trim() })}
      />
      <TypedField
        label="Label begins with"
        placeholder="Any label"
        value={filters.label ?? ""}
        change={(label) => change({ label: label.trim() })}
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
