/** What one server may cost, however it behaves. */
export const limits = {
  /** Bytes of one message: 16 MiB. */
  messageBytes: 16_777_216,
  /** Bytes that wait to be read by a server. */
  unreadBytes: 8_388_608,
  /** Messages that are read at once, and how many more each second: whoever sends faster has to wait, */
  burst: 20_000,
  messagesPerSecond: 2000,
  /** and is left when it has waited so many milliseconds without a rest. */
  floodMs: 2000,
  /** The most pages of a list. */
  pages: 100,
  tools: 10_000,
  listBytes: 33_554_432,
  /** Bytes of the definition of one tool. */
  definitionBytes: 262_144,
  /** Times that a server may answer one call with questions. */
  rounds: 10,
  /** Questions that one server may have open. */
  questions: 5,
  /** Milliseconds that a call waits for a server that is away before a person is asked about the call. */
  checkMs: 5000,
} as const;
