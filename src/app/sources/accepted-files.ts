import { isAbsolute, join, relative, sep } from "node:path";
import type { Home } from "../home.ts";
import { sourcePlaces } from "./source-places.ts";

/** A text in its place. */
interface PlacedText {
  readonly path: string;
  readonly text: string;
}

/**
 * Whether the owner has accepted a file that says what runs. Those in haft's own folder are the owner's own where such
 * files have their places: elsewhere in it is also what agents had haft keep, such as files that they have changed.
 */
export function acceptedBy(home: Home): (file: PlacedText) => boolean {
  const own = Object.values(sourcePlaces).map((place) => join(home.folder, place));
  return ({ path, text }) => own.some((place) => liesAt(place, path)) || home.trusts(path, text);
}

function liesAt(place: string, path: string): boolean {
  const step = relative(place, path);
  return step !== ".." && !step.startsWith(`..${sep}`) && !isAbsolute(step);
}
