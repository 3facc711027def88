const lengthBytes = 4;

/** @throws {RangeError} for a message over the limit. */
export function toFrame(message: object, mostBytes: number): Uint8Array {
  const text = Buffer.from(JSON.stringify(message));
  if (text.byteLength > mostBytes) throw new RangeError(`a message of ${text.byteLength} bytes`);
  const frame = Buffer.allocUnsafe(lengthBytes + text.byteLength);
  frame.writeUInt32BE(text.byteLength, 0);
  text.copy(frame, lengthBytes);
  return frame;
}

/** Cuts a stream into the texts of its frames, whatever pieces it comes in; copies each byte at most twice. */
export class FrameReader {
  readonly #mostBytes: number;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #wanted = lengthBytes;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** @throws {RangeError} for a frame over the limit: nothing after it can be read either. */
  push(chunk: Uint8Array): string[] {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    const texts: string[] = [];
    if (this.#held < this.#wanted) return texts;
    let bytes = Buffer.concat(this.#chunks, this.#held);
    this.#wanted = lengthBytes;
    while (bytes.byteLength >= lengthBytes) {
      const length = bytes.readUInt32BE(0);
      if (length > this.#mostBytes) throw new RangeError(`a message of ${length} bytes`);
      const end = lengthBytes + length;
      if (bytes.byteLength < end) {
        this.#wanted = end;
        break;
      }
      texts.push(bytes.toString("utf8", lengthBytes, end));
      bytes = bytes.subarray(end);
    }
    this.#chunks = bytes.byteLength > 0 ? [bytes] : [];
    this.#held = bytes.byteLength;
    return texts;
  }
}
