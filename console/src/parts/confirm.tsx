import "./confirm.css";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RequestFault } from "../net/api.ts";
import { GuardedButton } from "./guarded-button.tsx";
import { needsPin, PinField } from "./owner-pin.tsx";
import { Fault } from "./states.tsx";
import { useAct } from "./use-act.ts";
import { useOpener } from "./use-opener.ts";

/**
 * A button for what can't be taken back: it asks first, in place, and acts by a guarded button. Where haft wants the
 * owner's PIN, it is asked for here, too.
 */
export function Confirm({
  label,
  name,
  question,
  yes,
  no = "Keep it",
  act: work,
  onFault,
}: {
  /** On the button that asks. */
  readonly label: string;
  /** What it is done to, for those who don't see where the button stands. */
  readonly name: ComponentChildren;
  readonly question: ComponentChildren;
  /** On the button that acts. */
  readonly yes: string;
  /** On the button that leaves everything as it is. @default "Keep it" */
  readonly no?: string;
  /** Resolves with what came of it. @param pin the owner's, once haft asked for it */
  readonly act: (pin: string | undefined) => Promise<string>;
  readonly onFault?: (fault: RequestFault) => void;
}): VNode {
  const act = useAct();
  const [asks, setAsks] = useState(false);
  const [pin, setPin] = useState("");
  const opener = useOpener(asks);
  const keeper = useRef<HTMLButtonElement>(null);
  const wantsPin = needsPin(act.fault);
  useLayoutEffect(() => {
    if (asks) keeper.current?.focus();
  }, [asks]);
  useEffect(() => {
    if (act.fault !== undefined) onFault?.(act.fault);
  }, [act.fault]);
  if (act.done !== undefined) return <p class="done">{act.done}</p>;
  if (!asks)
    return (
      <button ref={opener} type="button" class="quiet" onClick={() => setAsks(true)}>
        {label}
        <span class="unseen"> {name}</span>
      </button>
    );
  return (
    <div class="confirm" role="group" aria-label={yes}>
      <p>{question}</p>
      {act.fault !== undefined && <Fault fault={act.fault} />}
      {wantsPin && <PinField pin={pin} change={setPin} />}
      <div class="confirm-buttons">
        <button ref={keeper} type="button" onClick={() => setAsks(false)}>
          {no}
        </button>
        <GuardedButton
          class="danger"
          disabled={act.busy || (wantsPin && pin === "")}
          act={() => act.run(() => work(pin === "" ? undefined : pin))}
        >
          {yes}
        </GuardedButton>
      </div>
    </div>
  );
}
