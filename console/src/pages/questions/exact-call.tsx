import type { VNode } from "preact";
import { readShownPlan, type ShownCall } from "../../../../src/kernel/index.ts";
import { Arguments } from "../../parts/arguments.tsx";
import { Text } from "../../text/text.tsx";

/** The exact arguments of a call; of a plan of several calls, each call with its own. */
export function ExactCall({ params }: { readonly params: unknown }): VNode {
  const plan = readShownPlan(params);
  if (plan === undefined) return <Arguments params={params} />;
  return (
    <>
      <ol class="plan">
        {plan.calls.map((call) => (
          <PlannedCall key={call.step} call={call} />
        ))}
      </ol>
      {Object.keys(plan.rest).length > 0 && <Arguments params={plan.rest} />}
    </>
  );
}

function PlannedCall({ call }: { readonly call: ShownCall }): VNode {
  return (
    <li>
      <p>
        <strong>
          <Text value={call.tool} oneLine />
        </strong>{" "}
        <span class="dim">
          step <Text value={call.step} oneLine />
          {call.after.length > 0 && (
            <>
              , after <Text value={call.after.join(", ")} oneLine />
            </>
          )}
        </span>
      </p>
      <ExactCall params={call.arguments} />
    </li>
  );
}
