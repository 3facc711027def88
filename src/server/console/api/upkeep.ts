import type { Finding } from "../../../app/checks/index.ts";
import type { ListedHook } from "../../../app/views/index.ts";

/** The name of a secret; its value is shown nowhere. */
export interface ListedSecret {
  readonly name: string;
  /** ISO 8601; undefined if it is not stored, and a tool asks for it. */
  readonly createdAt: string | undefined;
  readonly changedAt: string | undefined;
  /** Tools that are given it. */
  readonly tools: readonly string[];
}

export interface UpkeepApi {
  readonly "GET /secrets": { readonly answer: readonly ListedSecret[] };
  readonly "POST /secrets/delete": {
    readonly body: { readonly name: string; readonly pin?: string };
    readonly answer: { readonly deleted: boolean };
  };
  /** Answers the same as `haft hooks --json`, with what is wrong with their files. */
  readonly "GET /hooks": {
    readonly answer: {
      readonly hooks: readonly ListedHook[];
      readonly problems: readonly { readonly where: string; readonly message: string }[];
    };
  };
  /** Answers the same as `haft doctor --json`, without the port, which `haft serve` has itself. */
  readonly "POST /doctor": { readonly answer: { readonly ok: boolean; readonly checks: readonly Finding[] } };
}
