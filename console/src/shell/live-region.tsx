import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { showInvisible } from "../../../src/base/index.ts";

const spoken = signal("");
let waiting: string | undefined;
let lastAt = 0;
let timer = 0;

/** At most one message in so long: a screen reader reads each to its end. */
const everyMs = 2000;

/** Tells a screen reader; of several messages in two seconds, the last one. */
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
