import type { Collector } from "./collector.ts";
import type { LoopValues } from "./syntax/word.ts";

/** What surrounds a script. */
export interface Surroundings {
  readonly collector: Collector;
  /** The script's own text; positions point into it. */
  readonly source: string;
  /** Scripts given to shells in scripts: how deep. */
  readonly depth: number;
  /** Programs that start programs: how many around this one. */
  readonly wrapped: number;
  /** May run more than once, or at another time: in a loop, a function, a trap. */
  readonly unordered: boolean;
  /** Its input is a pipe, a file or a text. */
  readonly fed: boolean;
  /** What its input says, where a program before it in a pipe says no more than that. */
  readonly said?: string | undefined;
  /** What variables of loops around stand for. @default nothing is known */
  readonly values?: LoopValues | undefined;
  /** Reads a script that is given to a shell. */
  readonly enter: (script: string, around: Surroundings) => void;
}
