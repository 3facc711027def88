import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Act, useAct } from "./use-act.ts";

/** Something that only the owner may do: where a PIN is set, it is asked for, and sent with the next try. */
export interface OwnerAct extends Act {
  /** What goes with the body of the request. */
  readonly owner: { readonly pin?: string };
  /** Whether the PIN is asked for. */
  readonly needsPin: boolean;
  readonly pin: string;
  readonly setPin: (pin: string) => void;
}

export function useOwnerAct(): OwnerAct {
  const act = useAct();
  const [pin, setPin] = useState("");
  const needsPin = act.fault?.code?.startsWith("PIN_") === true || pin !== "";
  return { ...act, owner: pin === "" ? {} : { pin }, needsPin, pin, setPin };
}

/** The field for the owner's PIN, once it is asked for. */
export function PinField({ act }: { readonly act: OwnerAct }): VNode | null {
  if (!act.needsPin) return null;
  return (
    <input
      type="password"
      class="pin-field"
      aria-label="The owner's PIN"
      placeholder="The owner's PIN, then again"
      value={act.pin}
      autoComplete="off"
      onInput={(event) => act.setPin(event.currentTarget.value)}
    />
  );
}
