import type { AddedServers, OfferedServers, ServerOffer, ServerState } from "../../../app/servers/index.ts";
import type { DiffLine } from "../../../base/index.ts";
import type { LoginInfo, McpServerConfig } from "../../../mcp/index.ts";

/** A login that a person is in the middle of, or that failed. */
export type LoginState =
  | { readonly state: "opening" }
  /** The person opens `url`, which is http or https; with `code`, they type that there. */
  | { readonly state: "waiting"; readonly url: string; readonly code?: string }
  | { readonly state: "done" }
  | { readonly state: "failed"; readonly error: string };

/** A definition that waits for its owner. */
export interface WaitingDefinition {
  readonly tool: string;
  readonly isNew: boolean;
  /** Canonical JSON of what is offered: what is accepted. */
  readonly after: string;
  /** The differences; null where equal lines are left out. */
  readonly diff: readonly (DiffLine | null)[];
}

export interface ServerDetail {
  readonly state: ServerState;
  /** Its entry in the configuration, with `…` for what looks like a secret; undefined for an entry that can't be read. */
  readonly server: McpServerConfig | undefined;
  readonly place: "user" | "project" | undefined;
  /** Unix ms: the last attempt to connect. */
  readonly triedAt: number | undefined;
  /** The last 64 KiB that its process said beside the protocol. */
  readonly stderr: string;
  readonly tools: ServerOffer["tools"];
  readonly tokens: number;
  readonly waiting: readonly WaitingDefinition[];
  /** Undefined: nobody has logged in. */
  readonly login: LoginInfo | undefined;
  /** The login that was begun here last. */
  readonly loginState: LoginState | undefined;
  readonly command: string;
}

interface Named {
  readonly name: string;
}

interface Owned {
  /** The owner's PIN, if one is set. */
  readonly pin?: string;
}

export interface ServersApi {
  /** Answers the same as `haft mcp status --json`; nothing is connected to for it. */
  readonly "GET /servers": { readonly answer: readonly ServerState[] };
  readonly "GET /server": { readonly query: Named; readonly answer: ServerDetail };
  /** Connects anew. */
  readonly "POST /server/restart": { readonly body: Named; readonly answer: ServerState };
  /** Asks it for its tools. */
  readonly "POST /server/test": {
    readonly body: Named;
    readonly answer: { readonly ok: boolean; readonly ms: number; readonly error?: string };
  };
  /** Accepts a definition as it was shown. */
  readonly "POST /server/accept": {
    readonly body: Named & Owned & { readonly tool: string; readonly after: string };
    readonly answer: { readonly accepted: true };
  };
  /** Refuses a tool whose definition waits: its server never offers it again. */
  readonly "POST /server/refuse": {
    readonly body: Named & Owned & { readonly tool: string };
    readonly answer: {
      /** The file whose list `deny` has the tool now. */
      readonly file: string;
    };
  };
  /** Begins a login. Answers once there is an address to open, or the login failed. */
  readonly "POST /server/login": {
    readonly body: Named & Owned & { readonly device?: boolean };
    readonly answer: LoginState;
  };
  readonly "POST /server/logout": {
    readonly body: Named & Owned;
    readonly answer: { readonly loggedOut: boolean; readonly revoked: boolean };
  };
  /** Says what adding the servers of a pasted text would do. Nothing is changed or started. */
  readonly "POST /servers/read": {
    readonly body: { readonly text: string };
    readonly answer: OfferedServers;
  };
  /** Adds servers of the same text, after the person has seen them. */
  readonly "POST /servers/add": {
    readonly body: Owned & {
      readonly text: string;
      readonly names: readonly string[];
      /** Those that get what servers of their kind are known to need. */
      readonly withNeeds?: readonly string[];
    };
    readonly answer: AddedServers;
  };
}
