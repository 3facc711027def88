/** A place in the drawing: a layer from the left, and a row in it. */
export interface Place {
  readonly layer: number;
  readonly row: number;
}

const sweeps = 4;

/**
 * Places tasks in layers, each to the right of all that it waits for, and orders the layers so that few lines cross. The
 * same tasks always get the same places.
 */
export function layOutLayers(
  ids: readonly string[],
  edges: readonly (readonly [before: string, after: string])[],
): ReadonlyMap<string, Place> {
  const [before, after] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const [from, to] of edges) {
    before.set(to, [...(before.get(to) ?? []), from]);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const layers = fillLayers(ids, before, after);
  const rows = new Map<string, number>();
  for (const layer of layers) for (const [row, id] of layer.entries()) rows.set(id, row);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const near = sweep % 2 === 0 ? before : after;
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      const middle = (id: string) => {
        const others = near.get(id) ?? [];
        if (others.length === 0) return rows.get(id) ?? 0;
        return others.reduce((sum, other) => sum + (rows.get(other) ?? 0), 0) / others.length;
      };
      const places = new Map(layer.map((id) => [id, middle(id)]));
      layer.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
      for (const [row, id] of layer.entries()) rows.set(id, row);
    }
  }
  return new Map(
    layers.flatMap((layer, at) => layer.map((id, row): [string, Place] => [id, { layer: at, row }])),
  );
}

/** Takes away, layer by layer, what waits for nothing that is left. Nothing depends on itself, also by way of others. */
function fillLayers(
  ids: readonly string[],
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
): string[][] {
  const left = new Map(ids.map((id) => [id, before.get(id)?.length ?? 0]));
  const layers: string[][] = [];
  let layer = ids.filter((id) => left.get(id) === 0);
  while (layer.length > 0) {
    layers.push(layer);
    const next: string[] = [];
    for (const id of layer)
      for (const other of after.get(id) ?? []) {
        const count = (left.get(other) ?? 0) - 1;
        left.set(other, count);
        if (count === 0) next.push(other);
      }
    layer = next;
  }
  return layers;
}
