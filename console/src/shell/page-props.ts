/** The parts of the address that a page gets. */
export interface PageProps {
  /** The segments of the path after the page's own, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}
