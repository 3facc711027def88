import type { Secrets } from "../store/secrets.ts";

/** The part of the store that the tools use: none of them can read a value. */
export type SecretKeeper = Pick<Secrets, "set" | "list" | "delete">;
