import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { needsPin, PinField } from "./owner-pin.tsx";
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
  return {
    ...act,
    owner: pin === "" ? {} : { pin },
    needsPin: needsPin(act.fault) || pin !== "",
    pin,
    setPin,
  };
}

/** The field for the PIN of such an act, once it is asked for. */
export function OwnerPin({ act }: { readonly act: OwnerAct }): VNode | null {
  return act.needsPin ? (
    <PinField pin={act.pin} hint="The owner's PIN, then again" change={act.setPin} />
  ) : null;
}
