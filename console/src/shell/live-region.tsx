import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { showInvisible } from "../../../src/base/index.ts";

const spoken = signal("");
let waiting: string | undefined;
let lastAt = 0;
let timer = 0;

/** Shortest time between two messages, so that a screen reader can finish each. */
const everyMs = 2000;

/** Announces a message to screen readers. Of several in two seconds only the last is announced. */
export function say(message: string): void {
  waiting = showInvisible(message);
  if (timer !== 0) return;
  timer = window.setTimeout(
    () => {
      timer = 0;
      lastAt = performance.now();
      spoken.value = waiting ?? "";
    },
    Math.max(0, lastAt + everyMs - performance.now()),
  );
}

export function LiveRegion(): VNode {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {spoken.value}
    </div>
  );
}
