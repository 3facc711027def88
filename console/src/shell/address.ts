import { signal } from "@preact/signals";

/** The address of the page: the path below `/console/`, without slashes at its ends, and the query. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

const root = "/console/";

export const address: { readonly value: Address } = signal<Address>(readAddress());
const state = address as { value: Address };

function readAddress(): Address {
  const path = location.pathname.startsWith(root) ? location.pathname.slice(root.length) : "";
  return { path: path.replaceAll(/^\/+|\/+$/g, ""), query: new URLSearchParams(location.search) };
}

/** Builds the address of a page. Leaves out empty fields of the query. */
export function toHref(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const text = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== ""),
  ).toString();
  return root + path + (text === "" ? "" : `?${text}`);
}

/** Goes to an address of the console. `replace`: the address replaces the current one in the history. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  state.value = readAddress();
}

/** Decodes a segment of the path. Undefined if it is not valid. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Makes links within the console change the page without loading it again. */
export function startAddress(): void {
  window.addEventListener("popstate", () => {
    state.value = readAddress();
  });
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (
      link === null ||
      link.target !== "" ||
      link.origin !== location.origin ||
      !link.pathname.startsWith(root)
    )
      return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
