const maxDistinct = 1 << 16;
/** The header is the width and the count as 4-byte integers, then the least and the greatest number as doubles. */
const headerBytes = 24;

/**
 * Packs a column of numbers with a dictionary: each distinct number is stored once, and each place holds its index in one
 * or two bytes. A column whose numbers seldom repeat is stored as it is. `NaN` is treated as a number.
 */
export function packColumn(column: Float64Array): Uint8Array {
  const places = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of column) {
    if (value < least) least = value;
    if (value > most) most = value;
    if (places.size <= column.length / 2 && !places.has(value)) places.set(value, places.size);
  }
  const range = toBytes(Float64Array.of(least, most));
  if (places.size > column.length / 2 || places.size > maxDistinct)
    return Buffer.concat([toBytes(Uint32Array.of(8, 0)), range, toBytes(column)]);
  const codes = places.size <= 256 ? new Uint8Array(column.length) : new Uint16Array(column.length);
  for (let at = 0; at < column.length; at++) codes[at] = places.get(column[at] as number) as number;
  return Buffer.concat([
    toBytes(Uint32Array.of(codes.BYTES_PER_ELEMENT, places.size)),
    range,
    toBytes(Float64Array.from(places.keys())),
    toBytes(codes),
  ]);
}

/** Reads a column that {@link packColumn} made. */
export class PackedColumn {
  readonly #buffer: ArrayBufferLike;
  readonly #bytes: number;
  readonly #width: number;
  readonly #count: number;

  constructor(packed: Uint8Array) {
    // Float64Array needs an aligned buffer, which a copy has.
    this.#buffer = packed.byteOffset === 0 ? packed.buffer : new Uint8Array(packed).buffer;
    this.#bytes = packed.length;
    const [width = 8, count = 0] = new Uint32Array(this.#buffer, 0, 2);
    this.#width = width;
    this.#count = count;
  }

  /** False if the column has none of these numbers. */
  mayHave(wanted: ReadonlySet<number>): boolean {
    return this.#width === 8 || this.#values().some((value) => wanted.has(value));
  }

  /** The least and the greatest number of the column. */
  range(): { readonly least: number; readonly most: number } {
    const [least = 0, most = 0] = new Float64Array(this.#buffer, 8, 2);
    return { least, most };
  }

  unpack(): Float64Array {
    if (this.#width === 8)
      return new Float64Array(this.#buffer, headerBytes, (this.#bytes - headerBytes) / 8);
    const values = this.#values();
    const start = headerBytes + this.#count * 8;
    const length = (this.#bytes - start) / this.#width;
    const codes =
      this.#width === 1
        ? new Uint8Array(this.#buffer, start, length)
        : new Uint16Array(this.#buffer, start, length);
    const column = new Float64Array(length);
    for (let at = 0; at < length; at++) column[at] = values[codes[at] as number] as number;
    return column;
  }

  #values(): Float64Array {
    return new Float64Array(this.#buffer, headerBytes, this.#count);
  }
}

function toBytes(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
