const rowsAtOnce = 4;

/**
 * Dot products of some rows with a vector. Four rows are added up side by side, so that no sum waits for another; each
 * is added up in the same order as it would be alone.
 *
 * @param rows rows of as many numbers as the vector has, one after the other
 * @param wanted the places of the rows, from 0
 */
export function multiplyRows(
  rows: Int8Array,
  wanted: Uint32Array,
  vector: Float32Array | Float64Array,
): Float64Array {
  const numbers = Float64Array.from(vector);
  const size = numbers.length;
  const products = new Float64Array(wanted.length);
  for (let at = 0; at < wanted.length; at += rowsAtOnce) {
    let [one, two, three, four] = [0, 0, 0, 0];
    const first = (wanted[at] as number) * size;
    const second = (wanted[at + 1] ?? 0) * size;
    const third = (wanted[at + 2] ?? 0) * size;
    const fourth = (wanted[at + 3] ?? 0) * size;
    for (let place = 0; place < size; place++) {
      const number = numbers[place] as number;
      one += (rows[first + place] as number) * number;
      two += (rows[second + place] as number) * number;
      three += (rows[third + place] as number) * number;
      four += (rows[fourth + place] as number) * number;
    }
    // Writes past the end of a typed array are ignored.
    products[at] = one;
    products[at + 1] = two;
    products[at + 2] = three;
    products[at + 3] = four;
  }
  return products;
}
