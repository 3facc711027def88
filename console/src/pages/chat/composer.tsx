import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask, type Given } from "../../net/api.ts";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { AttachButton, AttachedList } from "./attachments.tsx";
import { MessageField } from "./message-field.tsx";
import { isUnderWay } from "./run-state.ts";
import type { Run } from "./types.ts";
import { toBody, useAttachments } from "./use-attachments.ts";

type How = NonNullable<NonNullable<Given<"POST /chat/sessions/:id/steer">["body"]>["how"]>;

const orders: readonly (readonly [how: How, words: string])[] = [
  ["steer", "at its next step"],
  ["queue", "once it has answered"],
  ["interrupt", "at once, ending what runs"],
];

/** Says something in a session: to a run that is under way, or to begin one; stops it, or has it go on. */
export function Composer({
  sessionId,
  run,
  changed,
}: {
  readonly sessionId: string;
  readonly run: Run | null;
  /** Reads what is new. */
  readonly changed: () => Promise<void>;
}): VNode {
  const [text, setText] = useState("");
  const attached = useAttachments();
  const [how, setHow] = useState<How>("steer");
  const act = useAct();
  const steers = run !== null && isUnderWay(run);
  const failed = run?.kind === "turn" && run.state === "failed";
  const canGoOn =
    run !== null &&
    (run.state === "paused" || run.state === "parked" || isLeft(run) || failed || isInterrupted(run));
  const isEmpty = text.trim() === "" && attached.files.length === 0;
  const send = () => {
    if (isEmpty || act.busy) return;
    const { files } = attached;
    // The field is free for the next message at once.
    setText("");
    attached.clear();
    act.run(async () => {
      try {
        const body = await toBody(text, files);
        if (steers)
          await ask("POST /chat/sessions/:id/steer", { segments: { id: sessionId }, body: { ...body, how } });
        else await ask("POST /chat/send", { body: { ...body, sessionId } });
      } catch (error) {
        setText((since) => (since === "" ? text : `${text}\n${since}`));
        attached.add(files);
        throw error;
      }
      await changed();
      return steers ? "The run reads it." : "Sent.";
    });
  };
  return (
    <form
      class="composer"
      data-over={attached.isOver}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {act.fault !== undefined && <Fault fault={act.fault} />}
      <MessageField
        text={text}
        change={setText}
        send={send}
        attach={attached.add}
        label={steers ? "Message to the run that is under way" : "Message"}
        rows={2}
      />
      <AttachedList attached={attached} />
      <div class="composer-bar">
        <AttachButton attached={attached} />
        {steers && (
          <label>
            <span class="dim">It reads this</span>{" "}
            <select
              value={how}
              onChange={(event) =>
                setHow(orders.find(([one]) => one === event.currentTarget.value)?.[0] ?? "steer")
              }
            >
              {orders.map(([one, words]) => (
                <option key={one} value={one}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="composer-acts">
          {steers && (
            <button
              type="button"
              disabled={act.busy}
              onClick={() =>
                act.run(async () => {
                  const { interrupted } = await ask("POST /chat/runs/:id/interrupt", {
                    segments: { id: run.id },
                  });
                  await changed();
                  return interrupted
                    ? "Told to stop."
                    : "Another program drives it: stop it there, or say something to be read at once.";
                })
              }
            >
              Stop
            </button>
          )}
          {canGoOn && (
            <button
              type="button"
              disabled={act.busy}
              onClick={() =>
                act.run(async () => {
                  await ask("POST /chat/runs/:id/resume", { segments: { id: run.id }, body: {} });
                  await changed();
                  return "It goes on.";
                })
              }
            >
              {failed ? "Try again" : "Go on"}
            </button>
          )}
          <button type="submit" class="primary" disabled={act.busy || isEmpty}>
            Send
          </button>
        </span>
      </div>
      {act.done !== undefined && act.done !== "Sent." && (
        <p class="dim" role="status">
          {act.done}
        </p>
      )}
    </form>
  );
}

/** Whether a person interrupted it last. */
function isInterrupted({ kind, state, why }: Run): boolean {
  return kind === "turn" && state === "stopped" && why === "interrupted";
}

/** Whether the program that drove it is gone. */
function isLeft({ state, leaseUntil }: Run): boolean {
  return state === "running" && leaseUntil !== undefined && leaseUntil < Date.now();
}
