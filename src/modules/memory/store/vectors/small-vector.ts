/** A vector of length 1 in 8 bits a number: each times `scale`. Cosines are right to some thousandths. */
export interface SmallVector {
  readonly scale: number;
  readonly numbers: Uint8Array;
}

/** Brings a vector to length 1; one that is nothing stays nothing. */
export function toUnit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const number of vector) square += number * number;
  const length = Math.sqrt(square);
  return length === 0 ? vector : vector.map((number) => number / length);
}

export function toSmall(unit: Float32Array): SmallVector {
  let highest = 0;
  for (const number of unit) highest = Math.max(highest, Math.abs(number));
  const scale = highest / 127;
  const numbers = new Int8Array(unit.length);
  if (scale > 0) for (const [at, number] of unit.entries()) numbers[at] = Math.round(number / scale);
  return { scale, numbers: new Uint8Array(numbers.buffer) };
}

/** The cosine of a vector of length 1 with one that was made small. */
export function computeCosine(unit: Float32Array, { scale, numbers }: SmallVector): number {
  const others = signed(numbers);
  let sum = 0;
  for (let at = 0; at < unit.length; at++) sum += (unit[at] as number) * (others[at] as number);
  return sum * scale;
}

function signed(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
