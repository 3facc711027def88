/** Suffixes of the files beside a store that hold the index of its calls. They can be deleted while nobody uses them. */
export const indexSuffixes: readonly string[] = ["-calls", "-calls-wal", "-calls-shm"];

/** The file beside a store that holds the index of its calls. */
export function toIndexPath(store: string): string {
  return `${store}${indexSuffixes[0]}`;
}
