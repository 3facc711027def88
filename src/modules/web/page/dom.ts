import { toWholePage } from "./whole-page.ts";

/** The part of the DOM that pages are read by. The compiler has no DOM here, and linkedom's own types say `any`. */
export interface DomNode {
  readonly nodeName: string;
  readonly nodeType: number;
  readonly parentNode: DomElement | null;
  readonly firstChild: DomNode | null;
  readonly childNodes: Iterable<DomNode> & { readonly length: number };
  textContent: string;
  remove(): void;
  replaceWith(...nodes: (DomNode | string)[]): void;
}

export interface DomElement extends DomNode {
  readonly className: string;
  readonly children: Iterable<DomElement> & { readonly length: number };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...nodes: (DomNode | string)[]): void;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & { readonly length: number };
}

export interface DomDocument extends DomElement {
  readonly title: string;
  readonly body: DomElement;
  readonly documentElement: DomElement;
  createElement(name: string): DomElement;
}

/** HTML as a document that always has a head and a body, and no scripts or styles. */
export async function parseDocument(html: string): Promise<DomDocument> {
  const { parseHTML } = await import("./linkedom.ts");
  const parsed: { readonly document: DomDocument } = parseHTML(toWholePage(html));
  return parsed.document;
}
