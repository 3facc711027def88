import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { TaskAct, TaskState, TaskView } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { tellChange } from "../../net/live.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/section.tsx";
import { OwnerPin, useOwnerAct } from "../../parts/use-owner-act.tsx";
import { states } from "./words.ts";

/** An act that needs no words, with what is on its button. */
type PlainAct = readonly [act: Exclude<TaskAct, "reopen">, label: string];

const again: PlainAct = ["retry", "Do it again"];
const anew: PlainAct = ["retry", "Begin anew"];
const archive: PlainAct = ["archive", "Archive"];

/** What a person can do with a task in each state. */
const plainActs: Readonly<Record<TaskState, readonly PlainAct[]>> = {
  DEFINED: [["retry", "Do not wait for the others"]],
  READY: [],
  ASSIGNED: [["retry", "Take it from its worker"]],
  IN_PROGRESS: [["stop", "Stop"]],
  WAITING_INPUT: [["stop", "Stop"], anew],
  PAUSED: [["stop", "Stop"], anew],
  VERIFYING: [anew],
  AWAITING_APPROVAL: [["approve", "Approve"]],
  AWAITING_PLAN_APPROVAL: [["approve", "Approve its plan"]],
  COMPLETED: [again, archive],
  FAILED: [["retry", "Try again"], ["skip", "Go on without it"], archive],
  BLOCKED: [["retry", "Try again"], ["skip", "Go on without it"], archive],
};

const primary: readonly TaskAct[] = ["approve"];

/** What can be done with a task: calls of the person at the console, through the gate. */
export function Acts({ task, reload }: { readonly task: TaskView; readonly reload: () => void }): VNode {
  const act = useOwnerAct();
  const [feedback, setFeedback] = useState("");
  const { id, version, state, archivedAt } = task;
  const run = (what: TaskAct) =>
    act.run(async () => {
      try {
        const { state: now, freed } = await ask("POST /tasks/:id/act", {
          segments: { id },
          body: { act: what, version, ...(what === "reopen" && { feedback }), ...act.owner },
        });
        if (what === "reopen") setFeedback("");
        const ready = freed.length === 0 ? "" : `; ${freed.join(", ")} can begin`;
        return `Task ${id}: ${what === "archive" ? "archived" : states[now][1]}${ready}.`;
      } finally {
        // After a conflict, too: the page shows what there is now.
        reload();
        tellChange({ kind: "task", id });
      }
    });
  const plain: readonly PlainAct[] = archivedAt === undefined ? plainActs[state] : [["restore", "Restore"]];
  const takesFeedback = archivedAt === undefined && state !== "IN_PROGRESS";
  const isBegun = state !== "DEFINED" && state !== "READY";
  return (
    <Section title="Actions">
      {plain.length > 0 && (
        <div class="task-acts">
          {plain.map(([what, label]) => (
            <GuardedButton
              key={what}
              class={primary.includes(what) ? "yes" : ""}
              disabled={act.busy}
              act={() => run(what)}
            >
              {label}
            </GuardedButton>
          ))}
        </div>
      )}
      {takesFeedback && (
        <div class="task-feedback">
          <textarea
            aria-label="Feedback"
            placeholder="What has to be done otherwise: whoever takes the task next reads it"
            rows={3}
            value={feedback}
            readOnly={act.busy}
            onInput={(event) => setFeedback(event.currentTarget.value)}
          />
          <GuardedButton disabled={act.busy || feedback.trim() === ""} act={() => run("reopen")}>
            {isBegun ? "Send back with feedback" : "Add feedback"}
          </GuardedButton>
        </div>
      )}
      <OwnerPin act={act} />
      <Outcome act={act} />
    </Section>
  );
}
