/** How much is read, asked and kept. Tokens are a quarter of the characters. */
export interface MemoryLimits {
  /** A conversation is looked at once more than this of it was not. @default 3,000 */
  readonly observeFromTokens: number;
  /** The most tokens that a model is given at once. @default 16,000 */
  readonly batchTokens: number;
  /** Observations are condensed once there is more of them than this. @default 4,000 */
  readonly reflectFromTokens: number;
  /** The longest answer, in tokens. @default 8,000 */
  readonly answerTokens: number;
  /** Observations or memories that a model is given at once, to be remembered or to be taken apart. @default 20 */
  readonly itemsAtOnce: number;
  /** Older memories that it is shown for each, to say what contradicts them. @default 5 */
  readonly similarShown: number;
  /** Cosine, from which on two texts that name the same say the same. @default 0.85 */
  readonly sameFrom: number;
  /** Characters of one observation or memory. @default 1,000 */
  readonly itemChars: number;
  /** Characters of a digest or a profile. @default 12,000 */
  readonly textChars: number;
  /** How long after its end an observation is put away. @default 30 */
  readonly expiredDays: number;
}

/** The limits that hold where none are named. */
export const defaultLimits: MemoryLimits = {
  observeFromTokens: 3_000,
  batchTokens: 16_000,
  reflectFromTokens: 4_000,
  answerTokens: 8_000,
  itemsAtOnce: 20,
  similarShown: 5,
  sameFrom: 0.85,
  itemChars: 1_000,
  textChars: 12_000,
  expiredDays: 30,
};
