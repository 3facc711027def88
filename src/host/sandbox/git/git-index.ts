/** An entry of git's index, in so far as it matters here. */
export interface IndexEntry {
  /** Empty in an index split in two, where the name stands in the other part. */
  readonly name: string;
  /** It stands for a repository of its own, of which git asks the state by running git in it. */
  readonly isRepository: boolean;
  /** Offset in the index of the id of its content. */
  readonly hashAt: number;
}

const repositoryMode = 0o160000;
const modeBytes = Buffer.from([0, 0, 0xe0, 0]);

/** Whether an index may have an entry for a repository; hardly any has one. */
export function mayNameRepositories(index: Buffer): boolean {
  return index.includes(modeBytes);
}

/**
 * The entries of an index, of the versions 2 to 4; of one that git can't read either, those before the fault.
 *
 * @returns where the entries end; undefined for one with a fault
 * @param hashBytes 20, or 32 in a repository of SHA-256
 */
export function* readIndex(
  index: Buffer,
  hashBytes: number,
): Generator<IndexEntry, number | undefined, void> {
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + 40 + hashBytes;
    if (flagsAt + 4 > index.length) return undefined;
    let nameAt = flagsAt + (version > 2 && (index.readUInt16BE(flagsAt) & 0x4000) !== 0 ? 4 : 2);
    let begin: Buffer = Buffer.alloc(0);
    if (version === 4) {
      const strip = readOffset(index, nameAt);
      begin = name.subarray(0, Math.max(0, name.length - strip.value));
      nameAt = strip.next;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0) return undefined;
    const rest = index.subarray(nameAt, end);
    name = begin.length === 0 ? rest : Buffer.concat([begin, rest]);
    yield {
      name: name.toString(),
      isRepository: index.readUInt32BE(at + 24) === repositoryMode,
      hashAt: at + 40,
    };
    at = version === 4 ? end + 1 : at + (((end - at) >> 3) + 1) * 8;
  }
  return at;
}

/** A number in git's packed form, in which no number can be written twice. */
function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let next = from;
  let byte = bytes[next++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes[next++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}
