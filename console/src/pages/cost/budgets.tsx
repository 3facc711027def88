import type { VNode } from "preact";
import { formatCount } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import type { CostAnswer } from "./figures.tsx";

type Budget = CostAnswer["budgets"][number];
const limits = ["usd", "tokens", "steps", "minutes"] as const;

/** How much of a limit, in words. */
function write(kind: (typeof limits)[number], value: number): string {
  if (kind === "usd") return `$${value.toFixed(2)}`;
  return `${formatCount(Math.round(value))} ${kind}`;
}

/** The budgets of today, with what is left of each. */
export function Budgets({ budgets }: { readonly budgets: readonly Budget[] }): VNode {
  if (budgets.length === 0)
    return (
      <p class="dim">
        None is set. <code>agent.budget.day</code> in haft.config.yml limits a day of all agents,{" "}
        <code>agent.budget.agentDay</code> that of each: <code>{`{ usd: 5 }`}</code>.
      </p>
    );
  return (
    <ul class="budgets">
      {budgets.map((budget) => (
        <li key={budget.agent ?? ""}>
          <strong>{budget.agent === undefined ? "All agents" : <Text value={budget.agent} oneLine />}</strong>
          {limits.flatMap((kind) => {
            const limit = budget.limits[kind];
            return limit === undefined
              ? []
              : [<Limit key={kind} kind={kind} limit={limit} spent={budget.spent[kind]} />];
          })}
          {budget.unpricedModels.length > 0 && (
            <p class="warning">
              Requests of unknown price are not in it:{" "}
              <Text value={budget.unpricedModels.join(", ")} oneLine />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Limit({
  kind,
  limit,
  spent,
}: {
  readonly kind: (typeof limits)[number];
  readonly limit: number;
  readonly spent: number;
}): VNode {
  const share = limit === 0 ? 1 : Math.min(1, spent / limit);
  const left = Math.max(0, limit - spent);
  const state = share >= 1 ? "over" : share > 0.8 ? "low" : "";
  return (
    <p class="budget" data-state={state}>
      <span class="budget-bar" aria-hidden="true">
        <i style={{ width: `${100 * share}%` }} />
      </span>
      <span>
        {write(kind, spent)} of {write(kind, limit)};{" "}
        {state === "over" ? "used up" : `${write(kind, left)} left`}
      </span>
    </p>
  );
}
