import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { hasInvisible } from "../../../../src/base/index.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { formatMs } from "../../text/format.ts";
import { listFigures } from "./summary.tsx";
import type { Trace } from "./trace-model.ts";

/** The figures of two traces beside each other. */
export function Compare({ one, two }: { readonly one: Trace; readonly two: Trace }): VNode {
  const first = listFigures(one.sum());
  const second = new Map(listFigures(two.sum()));
  const more = two.ms - one.ms;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="The two compared">
      <p>
        {more === 0
          ? "Both took the same time."
          : `The second took ${formatMs(Math.abs(more))} ${more > 0 ? "longer" : "less"} (${more > 0 ? "+" : "−"}${Math.abs((100 * more) / one.ms).toFixed(0)} %).`}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">First</th>
            <th scope="col">Second</th>
          </tr>
        </thead>
        <tbody>
          {first.map(([name, value]) => (
            <tr key={name} data-differs={value !== second.get(name)}>
              <th scope="row">{name}</th>
              <td>{value}</td>
              <td>{second.get(name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Asks for another trace; the last calls of the same tool are offered. */
export function CompareForm({
  trace,
  compare,
}: {
  readonly trace: Trace;
  readonly compare: (id: string) => void;
}): VNode {
  const root = trace.getSpan(0);
  const [id, setId] = useState("");
  const isCall = root.kind === "call";
  const { answer } = useAnswer("GET /calls", {
    query: isCall ? { tools: root.name, limit: "20" } : { limit: "1" },
  });
  const offered = isCall ? (answer?.rows ?? []) : [];
  return (
    <form
      class="trace-open"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") compare(id.trim());
      }}
    >
      <input
        aria-label="Compare with"
        placeholder="ID of another call or run"
        list="trace-others"
        value={id}
        onInput={(event) => setId(event.currentTarget.value)}
      />
      <datalist id="trace-others">
        {offered
          .filter(({ callId }) => callId !== root.id && !hasInvisible(callId))
          .map(({ callId, startedAt, durationMs }) => (
            <option key={callId} value={callId}>
              {new Date(startedAt).toLocaleString("sv-SE")}
              {durationMs === undefined ? "" : `, ${formatMs(durationMs)}`}
            </option>
          ))}
      </datalist>
      <button type="submit">Compare</button>
    </form>
  );
}
