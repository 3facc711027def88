/**
 * Encodes a name as one segment of a path. A slash in it does not split it, and two names never give the same segment.
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
