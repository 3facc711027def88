import type { ToolRegistry } from "../../kernel/index.ts";
import { type ReplyListener, replyTool } from "../../modules/messages/index.ts";

/** The people who hear what agents say with `reply`. The tool is registered only while there is somebody. */
export class Replies {
  readonly #registry: Pick<ToolRegistry, "register" | "unregister">;
  readonly #listeners = new Map<string, ReplyListener>();

  constructor(registry: Pick<ToolRegistry, "register" | "unregister">) {
    this.#registry = registry;
  }

  /** @returns what ends it */
  listen(runId: string, listener: ReplyListener): () => void {
    if (this.#listeners.size === 0) this.#registry.register(this.#makeTool());
    this.#listeners.set(runId, listener);
    return () => {
      if (this.#listeners.delete(runId) && this.#listeners.size === 0) this.#registry.unregister("reply");
    };
  }

  #makeTool() {
    return { ...replyTool((runId) => this.#listeners.get(runId)), origin: "haft", pack: "messages" };
  }
}
