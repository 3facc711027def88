import type { Root } from "./messages/peer.ts";

/** A server of the Model Context Protocol, ready to be offered over stdio and HTTP, also both at once. */
export interface McpServer {
  readonly name: string;
  readonly version: string;
  /** Ends all connections: subscriptions are closed with an answer, and what runs is cancelled. */
  close(): void;
}

/** The server that answers one request, and what its client has to know of it. */
export interface ChosenServer {
  /** Undefined: the server that was reached. */
  readonly server?: McpServer;
  /** A sentence about the folder that the tools work in; the model reads it with the next result of a tool. */
  readonly note?: string;
  /** Called when the request is answered. */
  readonly leave?: () => void;
}

/**
 * Chooses the server for a session by the folders that its client says it works in; asked before each request, so it
 * must be quick. Undefined where the client did not tell them. Roots are a claim: they may only choose among folders
 * that the owner has opened for these clients.
 */
export type ChooseServer = (roots: readonly Root[] | undefined) => Promise<ChosenServer>;
