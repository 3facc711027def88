const maxDistinct = 1 << 16;
const headerBytes = 8;

/**
 * Packs a column of numbers. Numbers that repeat are stored once, and each place holds one or two bytes that say which
 * it has. `NaN` is a number like others.
 */
export function packColumn(column: Float64Array): Uint8Array {
  const places = new Map<number, number>();
  for (const value of column) {
    if (!places.has(value)) places.set(value, places.size);
    if (places.size > column.length / 2) break;
  }
  const isPlain = places.size > column.length / 2 || places.size > maxDistinct;
  if (isPlain) return Buffer.concat([header(8, 0), toBytes(column)]);
  const codes = places.size <= 256 ? new Uint8Array(column.length) : new Uint16Array(column.length);
  for (let at = 0; at < column.length; at++) codes[at] = places.get(column[at] as number) as number;
  return Buffer.concat([
    header(codes.BYTES_PER_ELEMENT, places.size),
    toBytes(Float64Array.from(places.keys())),
    toBytes(codes),
  ]);
}

/** Reads what {@link packColumn} made. */
export function unpackColumn(packed: Uint8Array): Float64Array {
  // The copy is aligned, which a typed array of eight bytes needs.
  const { buffer } = packed.byteOffset === 0 ? packed : packed.slice();
  const [width = 8, count = 0] = new Uint32Array(buffer, 0, 2);
  if (width === 8) return new Float64Array(buffer, headerBytes, (packed.length - headerBytes) / 8);
  const values = new Float64Array(buffer, headerBytes, count);
  const start = headerBytes + count * 8;
  const length = (packed.length - start) / width;
  const codes = width === 1 ? new Uint8Array(buffer, start, length) : new Uint16Array(buffer, start, length);
  const column = new Float64Array(length);
  for (let at = 0; at < length; at++) column[at] = values[codes[at] as number] as number;
  return column;
}

function header(width: number, count: number): Uint8Array {
  return toBytes(Uint32Array.of(width, count));
}

function toBytes(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
