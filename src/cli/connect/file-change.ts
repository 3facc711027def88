import type { ClientChangeBack, ClientEdit } from "../../app/index.ts";

/** A planned change of a client's file. */
export interface FileChange {
  readonly file: string;
  readonly form: ClientEdit["form"];
  /** Current text; undefined if there is no file. */
  readonly before: string | undefined;
  /** New text; undefined if the file is to be deleted. */
  readonly after: string | undefined;
  readonly back: readonly ClientChangeBack[];
}
