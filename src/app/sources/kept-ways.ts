import { isRecord, parseJson } from "../../base/index.ts";
import type { ServerWays, WaysMemory } from "../../mcp/index.ts";
import type { Home } from "../home.ts";

const fileName = "mcp-ways.json";
const mostKept = 500;

/** What turned out to work with each server, from one start to the next. */
export class KeptWays implements WaysMemory {
  readonly #home: Pick<Home, "read" | "write">;

  constructor(home: Pick<Home, "read" | "write">) {
    this.#home = home;
  }

  get(key: string): ServerWays | undefined {
    const ways = this.#all().get(key);
    return isRecord(ways) ? (ways as ServerWays) : undefined;
  }

  set(key: string, ways: ServerWays): void {
    const all = this.#all();
    all.delete(key);
    all.set(key, ways);
    const kept = Array.from(all).slice(-mostKept);
    this.#home.write(fileName, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  }

  #all(): Map<string, unknown> {
    const kept = parseJson(this.#home.read(fileName) ?? "{}");
    return new Map(isRecord(kept) ? Object.entries(kept) : []);
  }
}
