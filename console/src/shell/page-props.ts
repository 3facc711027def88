/** What a page is given of its address. */
export interface PageProps {
  /** The segments of the path after the page's own, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}
