const socketPath = "/bridge/socket";
const protocol = "haft.bridge.v1";
const longestWaitMs = 30_000;

/**
 * The connection to haft: announces the tools, runs what is asked for, and comes back when it is lost.
 *
 * `tools` is a list of `{ definition, run(params, { signal, progress }) }`. `on` gets `state(name, text)`,
 * `announced(tools)`, `started(call)` and `ended(call)`.
 */
export class Link {
  #host;
  #tools;
  #on;
  #token;
  #socket;
  #running = new Map();
  #waitMs = 1_000;
  #retry;

  constructor({ host, tools, token, on }) {
    this.#host = host;
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
    this.#token = token;
    this.#on = on;
  }

  connect() {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#on.state("waiting", "Connecting");
    const socket = new WebSocket(`ws://${location.host}${socketPath}`, [
      protocol,
      `haft.token.${this.#token}`,
    ]);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#waitMs = 1_000;
      const tools = Array.from(this.#tools.values(), ({ definition }) => definition);
      this.#send({ type: "announce", host: this.#host, tools });
    });
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
    socket.addEventListener("close", ({ reason }) => void this.#lost(reason));
  }

  /** Does not wait any longer for the next try. */
  hurry() {
    if (this.#retry !== undefined) this.connect();
  }

  #take(message) {
    switch (message.type) {
      case "announced":
        this.#on.state("connected", "Connected");
        return this.#on.announced(message.tools);
      case "invoke":
        return void this.#invoke(message);
      case "cancel":
        return this.#running.get(message.id)?.abort(new Error(message.reason));
      case "error":
        return this.#on.state("refused", message.message);
    }
  }

  async #invoke({ id, name, params }) {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const call = { id, name, startedAt: Date.now() };
    this.#on.started(call);
    const progress = (done, total, message) =>
      this.#send({ type: "progress", id, progress: done, total, message });
    try {
      const tool = this.#tools.get(name);
      if (tool === undefined) throw new Error(`there is no tool "${name}" here`);
      const value = await tool.run(params, { signal: controller.signal, progress });
      controller.signal.throwIfAborted();
      this.#send({ type: "result", id, value: value ?? null });
      this.#on.ended({ ...call, outcome: "done" });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!controller.signal.aborted) this.#send({ type: "error", id, message });
      this.#on.ended({ ...call, outcome: controller.signal.aborted ? "stopped" : message });
    } finally {
      this.#running.delete(id);
    }
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #lost(reason) {
    for (const controller of this.#running.values()) controller.abort(new Error("the connection was lost"));
    const refused = await this.#whyRefused();
    if (refused !== undefined) return this.#on.state("refused", refused);
    this.#on.state(
      "waiting",
      reason === "" ? "haft is not running; waiting for it" : `Disconnected: ${reason}`,
    );
    this.#retry = setTimeout(() => this.connect(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }

  /** A page is not told why its connection was refused, but it can ask whether its token is still good. */
  async #whyRefused() {
    try {
      const answer = await fetch("/bridge/token", { headers: { authorization: `Bearer ${this.#token}` } });
      return answer.status === 401 ? (await answer.json()).error : undefined;
    } catch {
      return undefined;
    }
  }
}
