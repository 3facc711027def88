import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { shellWord } from "../../../../src/base/index.ts";
import { type AnswerTo, ask } from "../../net/api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { LongText, Text } from "../../text/text.tsx";
import type { CallRecord } from "./call-types.ts";

type Replayed = AnswerTo<"POST /calls/:id/replay">;

const words = {
  same: "It is the same.",
  stands: "It would be decided the same.",
  unchecked: "The record is not enough to tell.",
  different: "It is different now.",
} as const;

/** Compares a recorded call with what the installation would do today. */
export function Replay({ call }: { readonly call: CallRecord }): VNode {
  const act = useAct();
  const [found, setFound] = useState<Replayed>();
  return (
    <Section
      title="Replay"
      aside={
        <CopyButton
          text={`haft replay ${shellWord(call.callId)}`}
          label="that replays it"
          show="Copy as a command"
        />
      }
    >
      <p class="dim">
        Would it be decided the same today, and give the same? A call that changes nothing is made again for
        that; no other is.
      </p>
      <div class="actions">
        <GuardedButton
          disabled={act.busy}
          act={() =>
            act.run(async () => {
              const answer = await ask("POST /calls/:id/replay", { segments: { id: call.callId } });
              setFound(answer);
              return words[answer.replayed.outcome];
            })
          }
        >
          {act.busy ? "Replaying…" : "Replay it"}
        </GuardedButton>
      </div>
      {found !== undefined && <Outcome found={found} />}
      {act.fault !== undefined && <Fault fault={act.fault} />}
    </Section>
  );
}

function Outcome({ found: { replayed, taskId } }: { readonly found: Replayed }): VNode {
  const { outcome, why } = replayed;
  return (
    <div class="replayed" data-outcome={outcome}>
      <p class={outcome === "different" ? "warning" : outcome === "unchecked" ? "dim" : "done"}>
        <strong>{words[outcome]}</strong> <Text value={why} />
      </p>
      {outcome === "different" && (
        <>
          <h3>As it was recorded</h3>
          <LongText value={replayed.recorded} label="As it was recorded" />
          <h3>As it is now</h3>
          <LongText value={replayed.now} label="As it is now" />
        </>
      )}
      <a href={toHref("calls", { taskId })}>What the replay ran</a>
    </div>
  );
}
