import type { VNode } from "preact";
import type { RequestFault } from "../../net/api.ts";

/** Whether the server wants the owner's PIN before it does this. */
export function needsPin(fault: RequestFault | undefined): boolean {
  return fault?.code?.startsWith("PIN_") === true;
}

/** Where the owner's PIN is given, once it was asked for. */
export function PinField({
  pin,
  change,
}: {
  readonly pin: string;
  readonly change: (pin: string) => void;
}): VNode {
  return (
    <input
      type="password"
      class="pin"
      aria-label="The owner's PIN"
      placeholder="The owner's PIN"
      value={pin}
      autoComplete="off"
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
