/** Models that a store knows at once. */
export const mostModels = 64;

/** One number for the entry and the model. */
export function vectorId(modelId: number, seq: number): number {
  return seq * mostModels + modelId;
}

export function vectorIds(modelId: number, seqs: readonly number[]): readonly number[] {
  return seqs.map((seq) => vectorId(modelId, seq));
}

export function toEntrySeq(id: number): number {
  return Math.floor(id / mostModels);
}
