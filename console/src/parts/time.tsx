import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { formatMs } from "../text/format.ts";

/** The time in Unix ms. It changes once a second while the tab is visible. */
export const now: { readonly value: number } = signal(Date.now());
setInterval(() => {
  if (!document.hidden) (now as { value: number }).value = Date.now();
}, 1000);

const fullFormat = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** Shows a time; on other days than today also the date. The tooltip has both, to the second. */
export function Time({ at, seconds = true }: { readonly at: number; readonly seconds?: boolean }): VNode {
  const date = new Date(at);
  const full = fullFormat.format(date);
  const today = fullFormat.format(new Date()).slice(0, 10);
  const day = full.slice(0, 10);
  const time = full.slice(11, seconds ? 19 : 16);
  const text = day === today ? time : `${day.startsWith(today.slice(0, 4)) ? day.slice(5) : day} ${time}`;
  return (
    <time dateTime={date.toISOString()} title={full}>
      {text}
    </time>
  );
}

/** Shows how long ago a time was, and updates itself. */
export function Since({ at }: { readonly at: number }): VNode {
  const ms = Math.max(0, now.value - at);
  return (
    <time dateTime={new Date(at).toISOString()} title={fullFormat.format(at)}>
      {formatMs(Math.floor(ms / 1000) * 1000)}
    </time>
  );
}
