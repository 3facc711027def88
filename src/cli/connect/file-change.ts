import type { ClientChangeBack, ClientEdit } from "../../app/index.ts";

/** A file of a client, as it is and as it is to be. */
export interface FileChange {
  readonly file: string;
  readonly form: ClientEdit["form"];
  /** undefined: there is no file. */
  readonly before: string | undefined;
  /** undefined: the file goes. */
  readonly after: string | undefined;
  readonly back: readonly ClientChangeBack[];
}
