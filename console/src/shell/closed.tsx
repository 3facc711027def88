import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { pinFault, sendPin, session } from "../net/session.ts";
import { Fault, Loading } from "../parts/states.tsx";

/** What is seen without a session. */
export function Closed(): VNode {
  const state = session.value;
  if (state === "opening")
    return (
      <main class="closed">
        <Loading />
      </main>
    );
  if (state === "pin") return <PinForm />;
  return (
    <main class="closed">
      <h1>{state === "over" ? "This session is over" : "Open the console from a terminal"}</h1>
      <p>
        {state === "over"
          ? "A link works once and for a minute; a session ends after 12 hours, an hour without use, or when haft stops."
          : "This tab has no session: a link that only you have opens one."}
      </p>
      <p class="command-line">
        <code>haft console</code>
      </p>
      <p class="dim">Run it in a terminal on the machine where haft runs.</p>
    </main>
  );
}

/** Asks for the owner's PIN, without which the link opens nothing. */
function PinForm(): VNode {
  const [pin, setPin] = useState("");
  return (
    <main class="closed">
      <h1>The owner's PIN</h1>
      <form
        class="pin-form"
        onSubmit={(event) => {
          event.preventDefault();
          void sendPin(pin);
          setPin("");
        }}
      >
        <input
          type="password"
          aria-label="PIN"
          autoComplete="off"
          value={pin}
          ref={(field) => field?.focus()}
          onInput={(event) => setPin(event.currentTarget.value)}
        />
        <button type="submit">Open</button>
      </form>
      {pinFault.value !== "" && <Fault fault={{ error: pinFault.value, code: undefined }} />}
    </main>
  );
}
