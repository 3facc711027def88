import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { apiRoot } from "./api.ts";
import { readEventStream } from "./event-stream.ts";
import { authorize, endSession, session } from "./session.ts";

/** Something that changed in the store. */
export interface LiveEvent {
  readonly kind: "call" | "question" | "run" | "session" | "memory" | "task";
  readonly id: string;
}

/** State of the stream of changes. `paused`: the tab is hidden. */
export type Connection = "connecting" | "live" | "paused" | "offline";

export const connection: { readonly value: Connection } = signal<Connection>("connecting");
const state = connection as { value: Connection };

/** Changes since the last frame. `all`: some were missed, so anything shown may be outdated. */
export interface Changes {
  readonly events: readonly LiveEvent[];
  readonly all: boolean;
}

/** Time for which a hidden tab keeps its stream. */
const hiddenMs = 60_000;
/** Changes between two frames from which on everything counts as changed. */
const most = 2000;
const waits = [500, 1000, 2000, 5000, 10_000] as const;

const listeners = new Set<(changes: Changes) => void>();
let running: AbortController | undefined;
let lastId: string | undefined;
let pending: LiveEvent[] = [];
let missed = false;
let frame = 0;
let hideTimer = 0;

/** Keeps one stream open while the tab is visible. @returns Closes it. */
export function startLive(): () => void {
  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", onOnline);
  connect();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    window.removeEventListener("online", onOnline);
    clearTimeout(hideTimer);
    pause();
  };
}

function onVisibility(): void {
  clearTimeout(hideTimer);
  if (document.hidden) hideTimer = window.setTimeout(pause, hiddenMs);
  else if (running === undefined) connect();
  else schedule();
}

function onOnline(): void {
  if (state.value === "offline") connect();
}

/** Calls back with changes, at most once a frame. @returns Ends that. */
export function onLive(listener: (changes: Changes) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Reports a change that this page made, without waiting for the stream. */
export function tellChange(event: LiveEvent): void {
  pending.push(event);
  schedule();
}

/** Calls back as {@link onLive} does while the component is mounted. */
export function useLive(onChanges: (changes: Changes) => void): void {
  const latest = useRef(onChanges);
  latest.current = onChanges;
  useEffect(() => onLive((changes) => latest.current(changes)), []);
}

/** Calls back when something of these kinds changed, at most once in `everyMs`. */
export function useLiveReload(kinds: readonly LiveEvent["kind"][], reload: () => void, everyMs = 500): void {
  const timer = useRef(0);
  const latest = useRef(reload);
  latest.current = reload;
  useLive(({ events, all }) => {
    if (timer.current !== 0 || !(all || events.some(({ kind }) => kinds.includes(kind)))) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, everyMs);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

function pause(): void {
  running?.abort();
  running = undefined;
  state.value = "paused";
}

function connect(): void {
  running?.abort();
  const run = new AbortController();
  running = run;
  void keepConnected(run.signal);
}

async function keepConnected(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted && session.value === "open"; ) {
    state.value = failures === 0 ? "connecting" : "offline";
    const began = performance.now();
    const opened = await readOnce(signal).catch(() => false);
    if (signal.aborted) return;
    // If the server ends streams at once, the waits grow as if it were offline.
    failures = opened && performance.now() - began > 5000 ? 0 : failures + 1;
    state.value = "offline";
    await wait(waits[Math.min(failures, waits.length) - 1] ?? 500, signal);
  }
}

/** Reads the stream to its end. False if it could not be opened. */
async function readOnce(signal: AbortSignal): Promise<boolean> {
  const after = lastId === undefined ? "" : `?after=${encodeURIComponent(lastId)}`;
  const response = await fetch(`${apiRoot}/stream${after}`, {
    headers: { ...authorize(), accept: "text/event-stream" },
    cache: "no-store",
    signal,
  });
  if (response.status === 401) endSession();
  if (!response.ok || response.body === null) return false;
  state.value = "live";
  // Without an id to continue from, changes since the pages loaded their data were missed.
  if (lastId === undefined) {
    missed = true;
    schedule();
  }
  for await (const message of readEventStream(response.body)) {
    if (message.id !== "") lastId = message.id;
    take(message.event, message.data);
  }
  return true;
}

function take(event: string, data: string): void {
  if (event === "gap") missed = true;
  else
    for (const one of readEvents(data)) {
      if (pending.length < most) pending.push(one);
      else missed = true;
    }
  if (missed || pending.length > 0) schedule();
}

/** Reads the events of a message, which has one or a list. Skips anything else. */
function readEvents(data: string): readonly LiveEvent[] {
  try {
    const value: unknown = JSON.parse(data);
    return [value].flat().filter(isLiveEvent);
  } catch {
    return [];
  }
}

function isLiveEvent(value: unknown): value is LiveEvent {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    typeof value.kind === "string" &&
    "id" in value &&
    typeof value.id === "string"
  );
}

function schedule(): void {
  if (frame !== 0) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    const changes: Changes = { events: pending, all: missed };
    pending = [];
    missed = false;
    if (changes.all || changes.events.length > 0) for (const listener of listeners) listener(changes);
  });
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
