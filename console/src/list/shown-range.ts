/** Rows of a list by their places: the first one, and the one after the last. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Rows that are kept in the document beyond those in view, on each side. A browser scrolls before the page can render. */
const keptBeyond = 20;
/** Rows out of view that come or go in one frame, on each side. */
const mostInFrame = 4;

/**
 * Chooses the rows that are in the document in the next frame. All rows in view are; the others come and go a few in a frame,
 * so that no frame of a scroll has many to render.
 *
 * @param shown The rows that are in the document now.
 * @param inView The rows that are in view, of all `length` rows.
 */
export function chooseNextRange(shown: RowRange, inView: RowRange, length: number): RowRange {
  const clamp = (at: number) => Math.max(0, Math.min(length, at));
  const first = clamp(inView.from);
  const last = clamp(inView.to);
  const isElsewhere = shown.to <= first || shown.from >= last;
  if (isElsewhere) return { from: first, to: last };
  return {
    from: clamp(Math.min(first, moveToward(shown.from, clamp(first - keptBeyond)))),
    to: clamp(Math.max(last, moveToward(shown.to, clamp(last + keptBeyond)))),
  };
}

function moveToward(at: number, wanted: number): number {
  return at + Math.max(-mostInFrame, Math.min(mostInFrame, wanted - at));
}
