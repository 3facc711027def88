import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go } from "./address.ts";

/** A key and its effect, for the help. */
export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

/** Whether the help is open. */
export const helpOpen: { value: boolean } = signal(false);

type KeyHandler = (event: KeyboardEvent) => boolean;
const handlers: { readonly current: KeyHandler }[] = [];
let jump = 0;

/**
 * Handles the keys of a page, unless the focus is in a field, from the moment its elements are there. The handler returns true
 * for a key that it used.
 */
export function useKeys(handler: KeyHandler): void {
  const ref = useRef(handler);
  ref.current = handler;
  useLayoutEffect(() => {
    handlers.push(ref);
    return () => void handlers.splice(handlers.indexOf(ref), 1);
  }, []);
}

let jumps: ReadonlyMap<string, string> = new Map();

/** Listens to the keys of the whole console. @param places The address for each letter after `g`. */
export function startKeys(places: ReadonlyMap<string, string>): () => void {
  jumps = places;
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
  if (isField(event.target)) {
    if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  if (handleKey(event)) event.preventDefault();
}

function handleKey(event: KeyboardEvent): boolean {
  if (helpOpen.value) {
    // The browser closes the help, and tells us later: the next key may come before that.
    if (event.key === "Escape") helpOpen.value = false;
    return false;
  }
  if (event.key === "?") {
    helpOpen.value = true;
    return true;
  }
  if (jump !== 0) {
    clearTimeout(jump);
    jump = 0;
    const place = jumps.get(event.key);
    if (place !== undefined) go(place);
    return place !== undefined;
  }
  if (event.key === "g") {
    jump = window.setTimeout(() => {
      jump = 0;
    }, 1500);
    return true;
  }
  if (event.key === "/") {
    const search = document.querySelector<HTMLElement>("[data-search]");
    search?.focus();
    return search !== null;
  }
  return handlers.toReversed().some((handler) => handler.current(event));
}

/** Whether an element takes keys itself, as input or as choice in a list. */
function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
