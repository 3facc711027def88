import type { Effect } from "../tool/effect.ts";

/** A lock on something that two calls must not both change. Holders of a shared lock overlap; an exclusive one is alone. */
export interface ResourceLock {
  readonly key: string;
  readonly mode: "shared" | "exclusive";
}

/** Lists the locks that the file effects of a call ask for: one a path, exclusive if any effect changes it. */
export function toLocks(effects: readonly Effect[]): readonly ResourceLock[] {
  const locks: ResourceLock[] = [];
  for (const { kind, target } of effects) {
    if (kind === "read") locks.push({ key: target, mode: "shared" });
    else if (kind === "write" || kind === "delete") locks.push({ key: target, mode: "exclusive" });
  }
  return locks.length < 2 ? locks : inOrder(locks);
}

/** The locks of one executor: first come, first served for each key. */
export class ResourceLocks {
  readonly #queues = new Map<string, LockQueue>();

  /** Takes all locks, or none and undefined if one of them is taken or waited for. */
  tryEnter(locks: readonly ResourceLock[]): (() => void) | undefined {
    const wanted = inOrder(locks);
    for (const { key, mode } of wanted) {
      const queue = this.#queues.get(key);
      if (queue === undefined) continue;
      if (mode === "exclusive" || queue.exclusive || queue.waiting.length > 0) return undefined;
    }
    return together(
      wanted.map((lock) => {
        const queue = this.#findQueue(lock.key);
        hold(lock, queue);
        return () => this.#leave(lock, queue);
      }),
    );
  }

  /** Takes all locks, waiting for those taken. Keys are taken in order, so two calls never wait for each other. */
  async enter(locks: readonly ResourceLock[], signal?: AbortSignal): Promise<() => void> {
    const held: (() => void)[] = [];
    try {
      for (const lock of inOrder(locks)) held.push(await this.#take(lock, signal));
    } catch (error) {
      together(held)();
      throw error;
    }
    return together(held);
  }

  #take(lock: ResourceLock, signal: AbortSignal | undefined): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = this.#findQueue(lock.key);
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        lock,
        admit: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve(() => this.#leave(lock, queue));
        },
      };
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(turn), 1);
        this.#admit(lock.key, queue);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      queue.waiting.push(turn);
      this.#admit(lock.key, queue);
    });
  }

  #findQueue(key: string): LockQueue {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = { waiting: [], shared: 0, exclusive: false };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  #leave(lock: ResourceLock, queue: LockQueue): void {
    if (lock.mode === "shared") queue.shared--;
    else queue.exclusive = false;
    this.#admit(lock.key, queue);
  }

  #admit(key: string, queue: LockQueue): void {
    for (let next = queue.waiting[0]; next !== undefined; next = queue.waiting[0]) {
      if (queue.exclusive || (next.lock.mode === "exclusive" && queue.shared > 0)) return;
      queue.waiting.shift();
      hold(next.lock, queue);
      next.admit();
    }
    if (queue.shared === 0 && !queue.exclusive) this.#queues.delete(key);
  }
}

function hold(lock: ResourceLock, queue: LockQueue): void {
  if (lock.mode === "shared") queue.shared++;
  else queue.exclusive = true;
}

function together(leaves: readonly (() => void)[]): () => void {
  const [only] = leaves;
  if (only !== undefined && leaves.length === 1) return only;
  return () => {
    for (const leave of leaves) leave();
  };
}

/** Each key once (exclusive wins), sorted. */
function inOrder(locks: readonly ResourceLock[]): readonly ResourceLock[] {
  if (locks.length === 1) return locks;
  const modes = new Map<string, ResourceLock["mode"]>();
  for (const { key, mode } of locks) if (modes.get(key) !== "exclusive") modes.set(key, mode);
  return Array.from(modes, ([key, mode]) => ({ key, mode })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface LockQueue {
  readonly waiting: Turn[];
  shared: number;
  exclusive: boolean;
}

interface Turn {
  readonly lock: ResourceLock;
  readonly admit: () => void;
}
