/**
 * A name as one part of a path of names, whatever is in it: one with a slash is never two, and no two are the same.
 *
 * @example
 * ```ts
 * pathPart("notes") === pathPart("a/b"); // → false
 * pathPart("a/b").includes("/"); // → false
 * ```
 */
export function pathPart(name: string): string {
  return name.replace(/[%/]/g, encodeURIComponent);
}
