import type { App, Records } from "../../app/index.ts";
import type { ConsoleApi, Endpoint } from "./api/index.ts";

/** Who answers questions at the console, among the `owner:*` that may answer any. */
export const consoleOwner = "owner:console";

/** A request that was let in. */
export interface ConsoleRequest<E extends Endpoint> {
  /** The segments that the path names with a colon, decoded once. */
  readonly segments: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** JSON of any shape: a handler checks it. */
  readonly body: unknown;
  /** Aborted once the page is gone, or its session has ended. */
  readonly signal: AbortSignal;
  /** Never set; ties a handler to its endpoint. */
  readonly endpoint?: E;
}

/** What handlers work with. */
export interface ConsoleContext {
  readonly app: App;
  readonly records: Records;
  /** The version of haft. */
  readonly version: string;
  /** The person at the console, as the ledger names them. Answers to questions are {@link consoleOwner}'s. */
  readonly by: string;
}

/** Answers one endpoint. It throws `ConsoleFault` or a `CodedError`. */
export type Handler<E extends Endpoint> = (
  context: ConsoleContext,
  request: ConsoleRequest<E>,
) => Promise<E["answer"]>;

/** A handler for each endpoint of some part of the API. */
export type Handlers<Api> = {
  readonly [Key in keyof Api]: Api[Key] extends Endpoint ? Handler<Api[Key]> : never;
};

/** A handler for each endpoint there is. */
export type ConsoleHandlers = Handlers<ConsoleApi>;
