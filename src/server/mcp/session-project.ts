import type { Clock } from "../../base/index.ts";
import type { Call } from "./calls/call.ts";
import type { ChooseServer, ChosenServer } from "./mcp-server.ts";
import { CallPeer, type Root } from "./messages/peer.ts";

/** A client tells its folders by itself, without a person, so that it takes milliseconds. */
const rootsWaitMs = 3000;

/** The folders that the client of one session works in, asked for when a request first needs them. */
export class SessionProject {
  readonly #choose: ChooseServer;
  readonly #clock: Clock;
  #roots: Promise<readonly Root[] | undefined> | undefined;
  #told: string | undefined;

  constructor(choose: ChooseServer, clock: Clock) {
    this.#choose = choose;
    this.#clock = clock;
  }

  /** The client's folders have changed: it is asked again. */
  forgetRoots(): void {
    this.#roots = undefined;
  }

  /** The server for a request; its note is left out where the session was told it already. */
  async enter(call: Call): Promise<ChosenServer> {
    this.#roots ??= this.#askRoots(call);
    const { note, ...chosen } = await this.#choose(await this.#roots);
    if (call.method !== "tools/call" || note === this.#told) return chosen;
    this.#told = note;
    return note === undefined ? chosen : { ...chosen, note };
  }

  /** None where the client has no such notion; undefined where it has, and did not answer in time or in the right form. */
  async #askRoots(call: Call): Promise<readonly Root[] | undefined> {
    if (call.client.capabilities.roots === undefined) return [];
    const controller = new AbortController();
    const endTimer = this.#clock.after(rootsWaitMs, () =>
      controller.abort(new Error("The client did not tell its roots in time")),
    );
    try {
      return await new CallPeer(call).roots({ signal: controller.signal });
    } catch {
      return undefined;
    } finally {
      endTimer();
    }
  }
}
