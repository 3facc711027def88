/**
 * How much each kind of evidence counts when tools are ranked. Each was held against five public sets and pairs of their
 * requests, every set left out in turn (bench/README.md, "Finding tools").
 */
export interface RankingWeights {
  /** Share of the word score that comes from the whole message; the rest comes from its best sentence. */
  readonly wholeMessage: number;
  /** How much higher a tool scores that is asked for by all words of its name. */
  readonly wholeName: number;
  /** What each word of the message adds to a tool whose pack has another tool for it. */
  readonly pack: number;
  /** What a word loses for other tools once a tool answers it. */
  readonly answered: number;
  /** What the vectors count, where the words count 1. They say less of a long message: many things have no one place. */
  readonly vectors: number;
}

/** Words of a message that asks for several things. A shorter one asks for fewer, and loses less once it is answered. */
export const longMessage = 16;

/** The weights that a search has unless it is given others. */
export const rankingWeights: RankingWeights = {
  wholeMessage: 0.4,
  wholeName: 0.05,
  pack: 0.1,
  answered: 0.2,
  vectors: 1.6,
};
