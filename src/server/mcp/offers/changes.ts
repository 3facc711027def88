/** Something that clients may want to hear of. */
export type Change =
  | { readonly type: "tools" | "prompts" | "resources" }
  | { readonly type: "resource"; readonly uri: string };

/** The notification that tells of a change. */
export function toNotification(change: Change): { method: string; params: { uri?: string } } {
  return change.type === "resource"
    ? { method: "notifications/resources/updated", params: { uri: change.uri } }
    : { method: `notifications/${change.type}/list_changed`, params: {} };
}

/** Tells everybody who listens what changed; changes of one list within a turn of the event loop count as one. */
export class Changes {
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #waiting = new Map<string, Change>();

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  report(change: Change): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.size === 0) setImmediate(() => this.#tell());
    this.#waiting.set(change.type === "resource" ? `resource ${change.uri}` : change.type, change);
  }

  #tell(): void {
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }
}
