import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface UnidentifiedLimits {
  /** Connections of one address that have not shown who they are. */
  readonly perAddress: number;
  /** Such connections of all addresses. */
  readonly inAll: number;
}

/**
 * Connections that have not identified their sender yet. If there are too many, the oldest is closed, so that holding
 * connections open without a request locks nobody out.
 */
export class UnidentifiedConnections {
  readonly #limits: UnidentifiedLimits;
  readonly #isIdentified: (request: IncomingMessage) => boolean;
  /** Connections with their addresses, oldest first. */
  readonly #all = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, Set<Duplex>>();

  /** @param isIdentified whether a request shows who sends it */
  constructor(limits: UnidentifiedLimits, isIdentified: (request: IncomingMessage) => boolean) {
    this.#limits = limits;
    this.#isIdentified = isIdentified;
  }

  /** Takes a new connection, and closes the oldest one where that makes too many. */
  add(socket: Duplex, address: string): void {
    const others = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, others.add(socket));
    this.#all.set(socket, address);
    socket.once("close", () => this.remove(socket));
    if (others.size > this.#limits.perAddress) this.#closeOldest(others);
    else if (this.#all.size > this.#limits.inAll) this.#closeOldest(this.#all.keys());
  }

  /** Looks at a request: its connection is one of these no more if it shows who sends it. */
  see(request: IncomingMessage): void {
    if (this.#all.has(request.socket) && this.#isIdentified(request)) this.remove(request.socket);
  }

  /** The connection has shown who it is, or is over. */
  remove(socket: Duplex): void {
    const address = this.#all.get(socket);
    if (address === undefined) return;
    this.#all.delete(socket);
    const others = this.#byAddress.get(address);
    others?.delete(socket);
    if (others?.size === 0) this.#byAddress.delete(address);
  }

  #closeOldest(sockets: Iterable<Duplex>): void {
    for (const oldest of sockets) {
      // Its place is free at once, not only when it has closed.
      this.remove(oldest);
      oldest.destroy();
      return;
    }
  }
}
