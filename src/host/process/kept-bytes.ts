/** The first `limit` bytes of a stream. */
export class HeadBytes {
  readonly #limit: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps what still fits and returns it; the rest is the caller's. */
  push(chunk: Buffer): Buffer {
    const kept = chunk.subarray(0, this.#limit - this.#length);
    if (kept.byteLength > 0) {
      this.#buffer = withRoom(this.#buffer, this.#length, this.#length + kept.byteLength);
      kept.copy(this.#buffer, this.#length);
      this.#length += kept.byteLength;
    }
    return kept;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

/** The last `limit` bytes of a stream, in a ring: memory is bounded however small the pieces are. */
export class TailBytes {
  readonly #limit: number;
  #ring: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    if (this.#limit === 0) return;
    const last = chunk.subarray(Math.max(0, chunk.byteLength - this.#limit));
    const before = this.#total + chunk.byteLength - last.byteLength;
    const wanted = Math.min(this.#limit, before + last.byteLength);
    this.#ring = withRoom(this.#ring, Math.min(this.#total, this.#limit), wanted, this.#limit);
    const at = before % this.#limit;
    const beforeEdge = Math.min(last.byteLength, this.#limit - at);
    last.copy(this.#ring, at, 0, beforeEdge);
    last.copy(this.#ring, 0, beforeEdge);
    this.#total = before + last.byteLength;
  }

  bytes(): Buffer {
    if (this.#total <= this.#limit) return this.#ring.subarray(0, this.#total);
    const at = this.#total % this.#limit;
    return Buffer.concat([this.#ring.subarray(at, this.#limit), this.#ring.subarray(0, at)]);
  }
}

/** `buffer`, or a copy at least twice as large where `wanted` bytes do not fit. */
function withRoom(buffer: Buffer, used: number, wanted: number, most = Number.POSITIVE_INFINITY): Buffer {
  if (wanted <= buffer.byteLength) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(most, Math.max(4096, wanted, buffer.byteLength * 2)));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
