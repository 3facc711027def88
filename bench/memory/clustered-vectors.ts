const poolSize = 2 ** 20;

/** Vectors as a sentence model's lie: in clusters of clusters, and no two alike. The same seed gives the same vector. */
export function clusteredVectors(dimension: number): (seed: number) => Float32Array {
  const pool = Float32Array.from({ length: poolSize + dimension }, (_, at) => bell(at));
  const noise = (seed: number) => {
    const start = Math.floor(random(seed) * poolSize);
    return pool.subarray(start, start + dimension);
  };
  const topics = Array.from({ length: 300 }, (_, at) => noise(at + 1));
  const kinds = Array.from({ length: 3000 }, (_, at) =>
    sum(topics[at % topics.length] as Float32Array, noise(at + 1001), 0.9),
  );
  return (seed) => {
    const kind = kinds[Math.floor(random(seed) * kinds.length)] as Float32Array;
    return unit(sum(kind, noise(seed + 10_000), 0.5 + random(seed + 1) * 0.7));
  };
}

/** Of four even ones the sum is near enough to a bell. */
function bell(seed: number): number {
  let total = 0;
  for (let draw = 0; draw < 4; draw++) total += random(seed * 4 + draw) - 0.5;
  return total * 1.73;
}

function random(seed: number): number {
  let mixed = Math.imul(seed ^ 0x5bd1e995, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x27d4eb2f);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

function sum(one: Float32Array, other: Float32Array, share: number): Float32Array {
  const total = new Float32Array(one.length);
  for (let at = 0; at < total.length; at++) total[at] = (one[at] as number) + (other[at] as number) * share;
  return total;
}

function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const number of vector) square += number * number;
  const length = Math.sqrt(square);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) / length;
  return vector;
}
