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
