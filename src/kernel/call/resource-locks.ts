import type { Effect } from "../tool/effect.ts";

/** Something two calls must not both change: holders of a shared lane overlap, an exclusive one is alone. */
export interface Lane {
  readonly key: string;
  readonly mode: "shared" | "exclusive";
}

/** The lanes that the file effects of a call ask for: one per path, exclusive if any of them changes it. */
export function toLocks(effects: readonly Effect[]): readonly Lane[] {
  if (effects.length === 0) return noLanes;
  const modes = new Map<string, Lane["mode"]>();
  for (const { kind, target } of effects) {
    if (kind === "read") {
      if (!modes.has(target)) modes.set(target, "shared");
    } else if (kind === "write" || kind === "delete") modes.set(target, "exclusive");
  }
  return Array.from(modes, ([key, mode]) => ({ key, mode }));
}

const noLanes: readonly Lane[] = [];

/** Keeps the calls of one executor in their lanes: first come, first served for each key. */
export class Lanes {
  readonly #queues = new Map<string, LaneQueue>();

  /** Takes all lanes, or none and undefined if one of them is taken or waited for. */
  tryEnter(lanes: readonly Lane[]): (() => void) | undefined {
    const wanted = inOrder(lanes);
    for (const { key, mode } of wanted) {
      const queue = this.#queues.get(key);
      if (queue === undefined) continue;
      if (mode === "exclusive" || queue.exclusive || queue.waiting.length > 0) return undefined;
    }
    return together(
      wanted.map((lane) => {
        const queue = this.#queueOf(lane.key);
        hold(lane, queue);
        return () => this.#leave(lane, queue);
      }),
    );
  }

  /** Takes all lanes, waiting for those taken. Keys are taken in order, so two calls never wait for each other. */
  async enter(lanes: readonly Lane[], signal?: AbortSignal): Promise<() => void> {
    const held: (() => void)[] = [];
    try {
      for (const lane of inOrder(lanes)) held.push(await this.#take(lane, signal));
    } catch (error) {
      together(held)();
      throw error;
    }
    return together(held);
  }

  #take(lane: Lane, signal: AbortSignal | undefined): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = this.#queueOf(lane.key);
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        lane,
        admit: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve(() => this.#leave(lane, queue));
        },
      };
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(turn), 1);
        this.#admit(lane.key, queue);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      queue.waiting.push(turn);
      this.#admit(lane.key, queue);
    });
  }

  #queueOf(key: string): LaneQueue {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = { waiting: [], shared: 0, exclusive: false };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  #leave(lane: Lane, queue: LaneQueue): void {
    if (lane.mode === "shared") queue.shared--;
    else queue.exclusive = false;
    this.#admit(lane.key, queue);
  }

  #admit(key: string, queue: LaneQueue): void {
    for (let next = queue.waiting[0]; next !== undefined; next = queue.waiting[0]) {
      if (queue.exclusive || (next.lane.mode === "exclusive" && queue.shared > 0)) return;
      queue.waiting.shift();
      hold(next.lane, queue);
      next.admit();
    }
    if (queue.shared === 0 && !queue.exclusive) this.#queues.delete(key);
  }
}

function hold(lane: Lane, queue: LaneQueue): void {
  if (lane.mode === "shared") queue.shared++;
  else queue.exclusive = true;
}

function together(leaves: readonly (() => void)[]): () => void {
  return () => {
    for (const leave of leaves) leave();
  };
}

/** Each key once (exclusive wins), sorted. */
function inOrder(lanes: readonly Lane[]): readonly Lane[] {
  if (lanes.length === 1) return lanes;
  const modes = new Map<string, Lane["mode"]>();
  for (const { key, mode } of lanes) if (modes.get(key) !== "exclusive") modes.set(key, mode);
  return Array.from(modes, ([key, mode]) => ({ key, mode })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface LaneQueue {
  readonly waiting: Turn[];
  shared: number;
  exclusive: boolean;
}

interface Turn {
  readonly lane: Lane;
  readonly admit: () => void;
}
