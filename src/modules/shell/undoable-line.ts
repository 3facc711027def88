import type { CommandUndo } from "../files/index.ts";
import type { CommandAnalysis } from "./command/analysis.ts";
import type { CommandPlace } from "./command/syntax/place.ts";

/** A command line of which it is asked whether it can be undone. */
export interface UndoableLine {
  readonly analysis: CommandAnalysis;
  readonly place: CommandPlace;
  /** Undo of commands; absent if nothing can be undone. */
  readonly undo: CommandUndo | undefined;
}
