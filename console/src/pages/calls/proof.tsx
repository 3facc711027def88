import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import { type AnswerTo, ask } from "../../net/api.ts";
import { Facts } from "../../parts/facts.tsx";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { formatCount, formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import type { CallRecord } from "./call-types.ts";

/** The call's place in the chain of records, and whether that chain is whole. */
export function Proof({ call }: { readonly call: CallRecord }): VNode {
  const act = useAct();
  const [found, setFound] = useState<AnswerTo<"POST /verify">>();
  const verify = () =>
    act.run(async () => {
      const verification = await ask("POST /verify", { body: {} });
      setFound(verification);
      return verification.valid ? "The chain is whole." : "The chain is broken.";
    });
  return (
    <>
      <Facts
        facts={[
          ["Row", formatCount(call.seq)],
          ["Hash", <Hash key="hash" value={call.hash} />],
          ["End", call.end && formatCount(call.end.seq)],
          ["Arguments", call.paramsDigest && <Hash value={call.paramsDigest} />],
          ["Result", call.resultDigest && <Hash value={call.resultDigest} />],
        ]}
      />
      <button type="button" disabled={act.busy} onClick={verify}>
        {act.busy ? "Verifying…" : "Verify the chain"}
      </button>
      {found?.valid === true && (
        <p class="done">
          Whole: {formatCounted(found.rows, "row")} verified, up to row {formatCount(found.head.seq)}.
        </p>
      )}
      {found?.valid === false && (
        <Fault
          fault={{
            error: `Broken at row ${formatCount(found.broken.seq)}: ${found.broken.message}`,
            code: found.broken.fault,
          }}
        />
      )}
      {act.fault !== undefined && <Fault fault={act.fault} retry={verify} />}
    </>
  );
}

/** The beginning of a digest; all of it on hover. */
function Hash({ value }: { readonly value: string }): VNode {
  return (
    <code title={showInvisible(value)}>
      <Text value={`${value.slice(0, 16)}…`} />
    </code>
  );
}
