const gap = 1024;

/**
 * Positions for a sequence of which some have one: those stay where they are, as long as they grow and leave room for
 * the others between them; else all get new ones.
 */
export function freePositions(known: readonly (number | undefined)[]): readonly number[] {
  const positions: number[] = [];
  let last = 0;
  for (let at = 0; at < known.length; ) {
    let end = at;
    while (end < known.length && !isAfter(known[end], last)) end++;
    const next = known[end] ?? last + gap * (end - at + 1);
    const step = Math.floor((next - last) / (end - at + 1));
    if (step < 1) return known.map((_, index) => gap * (index + 1));
    for (; at < end; at++) positions.push((last += step));
    if (end < known.length) positions.push((last = next));
    at = end + 1;
  }
  return positions;
}

function isAfter(position: number | undefined, last: number): position is number {
  return position !== undefined && position > last;
}
