import type { App, JsonBytes, JsonRecords, Records } from "../../app/index.ts";
import type { ConsoleApi, Endpoint } from "./api/index.ts";

/** The identity that answers questions at the console. Any `owner:*` may answer any question. */
export const consoleOwner = "owner:console";

/** A request of an open session. */
export interface ConsoleRequest<E extends Endpoint> {
  /** Values of the `:name` segments of the path, decoded once. */
  readonly segments: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** JSON of any shape, which the handler must check. */
  readonly body: unknown;
  /** Aborted when the connection closes or the session ends. */
  readonly signal: AbortSignal;
  /** Never set: it ties the type of a handler to its endpoint. */
  readonly endpoint?: E;
}

/** The services that handlers use. */
export interface ConsoleContext {
  readonly app: App;
  readonly records: Records;
  /** Records as JSON, in the encoding that the request accepts. */
  readonly json: JsonRecords;
  /** The version of haft. */
  readonly version: string;
  /** Name of the person at the console in the ledger. Answers to questions name {@link consoleOwner} instead. */
  readonly by: string;
}

/** Answers requests to one endpoint. Throws `ConsoleFault` or another `CodedError`. */
export type Handler<E extends Endpoint> = (
  context: ConsoleContext,
  request: ConsoleRequest<E>,
) => Promise<E["answer"] | JsonBytes<E["answer"]>>;

/** One handler for each endpoint of a part of the API. */
export type Handlers<Api> = {
  readonly [Key in keyof Api]: Api[Key] extends Endpoint ? Handler<Api[Key]> : never;
};

/** One handler for each endpoint of the whole API. */
export type ConsoleHandlers = Handlers<ConsoleApi>;
