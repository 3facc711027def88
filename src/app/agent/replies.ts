import type { ToolRegistry } from "../../kernel/index.ts";
import { type ReplyListener, replyTool } from "../../modules/messages/index.ts";

/**
 * The people who hear what agents say with `reply`. The tool is registered only while somebody listens. If a program
 * has registered its own tool `reply`, that one stays.
 */
export class Replies {
  readonly #registry: Pick<ToolRegistry, "has" | "register" | "unregister">;
  readonly #listeners = new Map<string, ReplyListener>();
  #isRegistered = false;

  constructor(registry: Pick<ToolRegistry, "has" | "register" | "unregister">) {
    this.#registry = registry;
  }

  /** Hands each reply of a run to a listener, until the returned function is called. */
  listen(runId: string, listener: ReplyListener): () => void {
    this.#listeners.set(runId, listener);
    if (!this.#registry.has("reply")) {
      this.#registry.register(this.#makeTool());
      this.#isRegistered = true;
    }
    return () => {
      this.#listeners.delete(runId);
      if (this.#listeners.size > 0 || !this.#isRegistered) return;
      this.#registry.unregister("reply");
      this.#isRegistered = false;
    };
  }

  #makeTool() {
    return { ...replyTool((runId) => this.#listeners.get(runId)), origin: "haft", pack: "messages" };
  }
}
