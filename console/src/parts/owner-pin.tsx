import type { VNode } from "preact";
import type { RequestFault } from "../net/api.ts";

/** True if the server wants the owner's PIN before it does this. */
export function needsPin(fault: RequestFault | undefined): boolean {
  return fault?.code?.startsWith("PIN_") === true;
}

/** The field for the owner's PIN, once it was asked for. */
export function PinField({
  pin,
  hint = "The owner's PIN",
  change,
}: {
  readonly pin: string;
  /** @default "The owner's PIN" */
  readonly hint?: string;
  readonly change: (pin: string) => void;
}): VNode {
  return (
    <input
      type="password"
      class="pin-field"
      aria-label="The owner's PIN"
      placeholder={hint}
      value={pin}
      autoComplete="off"
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
