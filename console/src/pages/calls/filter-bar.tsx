import type { VNode } from "preact";
import { hasInvisible, showInvisible } from "../../../../src/base/index.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Choice, TypedField } from "../../parts/filter-fields.tsx";
import { nameState } from "../../parts/state-mark.tsx";
import { type FilterName, spans } from "./filters.ts";

const states = ["started", "completed", "failed", "denied", "cancelled", "unknown"] as const;

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
