import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

/** A point of the drawing. Its middle is 0, 0. */
export interface PlacedNode {
  readonly id: string;
  x: number;
  y: number;
}

const steps = 260;
/** So many steps between two frames: of 200 nodes, less than 8 ms. */
const stepsPerFrame = 6;

/**
 * Finds places for nodes so that those that are connected are near each other, a few steps a frame.
 *
 * @param onPlaced called after each slice, with `done` after the last one
 * @returns a function that stops it
 */
export function layOut(
  ids: readonly string[],
  links: readonly { readonly source: string; readonly target: string }[],
  onPlaced: (nodes: ReadonlyMap<string, PlacedNode>, done: boolean) => void,
): () => void {
  const nodes = ids.map((id, at): PlacedNode => {
    // A spiral from the middle, so that the same graph is always the same drawing.
    const [turn, reach] = [at * 2.399963, 14 * Math.sqrt(at)];
    return { id, x: reach * Math.cos(turn), y: reach * Math.sin(turn) };
  });
  const placed = new Map(nodes.map((node) => [node.id, node]));
  const simulation = forceSimulation(nodes)
    .force(
      "link",
      forceLink<PlacedNode, { source: string; target: string }>(links.map((link) => ({ ...link })))
        .id(({ id }) => id)
        .distance(70),
    )
    .force("charge", forceManyBody().strength(-180).distanceMax(400))
    .force("apart", forceCollide(14))
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.07))
    .stop();
  let made = 0;
  let frame = 0;
  const go = () => {
    simulation.tick(stepsPerFrame);
    made += stepsPerFrame;
    const done = made >= steps;
    onPlaced(placed, done);
    if (!done) frame = requestAnimationFrame(go);
  };
  frame = requestAnimationFrame(go);
  return () => cancelAnimationFrame(frame);
}
