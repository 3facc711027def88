/** A call that another one will make, as far as that is known before. */
export interface PlannedCall {
  /** The id of the step, for people. */
  readonly id: string;
  readonly name: string;
  /** What is not known yet stands as {@link laterText} in place of the value. */
  readonly params: unknown;
  /** Some of the arguments come from calls before it. */
  readonly open?: boolean;
}

/** Stands for an argument that a call gets only when it is made. */
export function laterText(source: string): string {
  return `${later}${source}\u203a`;
}

/** Whether a text was made of one that stands for a later argument. */
export function hasLater(text: string): boolean {
  return text.includes(later);
}

const later = "\u2039from ";
