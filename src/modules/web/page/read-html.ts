import { oneLine } from "../../../base/index.ts";
import { type DomDocument, type DomElement, parseDocument } from "./dom.ts";
import { type PageWeight, weighPage } from "./page-weight.ts";
import { htmlToText } from "./plain-text.ts";

export interface ReadPage {
  readonly title: string;
  /** Markdown, or plain text where `isPlain`. */
  readonly text: string;
  readonly isPlain: boolean;
}

// What a tree and its conversion can take within some seconds and 200 MB, with room to spare. A heavier page is shown as
// plain text: past the heap limit a worker may take the whole process with it.
const most: PageWeight = {
  depth: 150,
  elements: 40_000,
  pieces: 120_000,
  attributes: 200_000,
  lines: 100_000,
};
// Finding the article compares elements with their neighbours: past this number it costs seconds.
const maxArticleElements = 8_000;
// Shorter than this, an article may be a teaser; then a page that says much more is read whole.
const shortArticleChars = 500;

/** Reads a page the way a person would: its article, or the whole of it where it has none. Runs in a worker. */
export async function readHtml(html: string, url: string): Promise<ReadPage> {
  const weight = weighPage(html);
  if (!isWithin(weight, most)) return plainly(html);
  try {
    const article = weight.elements > maxArticleElements ? undefined : await readArticle(html, url);
    return article ?? (await readWhole(html, url));
  } catch {
    // A page that the converters cannot take still has its text.
    return plainly(html);
  }
}

function isWithin(weight: PageWeight, limit: PageWeight): boolean {
  return (Object.keys(limit) as (keyof PageWeight)[]).every((part) => weight[part] <= limit[part]);
}

function plainly(html: string): ReadPage {
  return { ...htmlToText(html), isPlain: true };
}

async function readArticle(html: string, url: string): Promise<ReadPage | undefined> {
  const document = await openDocument(html, url);
  const title = findTitle(document);
  const pageChars = textLength(document.body);
  const [{ Readability }, { toMarkdown }] = await Promise.all([
    import("@mozilla/readability"),
    import("./markdown.ts"),
  ]);
  const article = new Readability<DomElement>(document as never, {
    keepClasses: true,
    disableJSONLD: true,
    serializer: (node) => node as unknown as DomElement,
  }).parse();
  const content = article?.content;
  if (content === undefined || content === null) return undefined;
  const chars = textLength(content);
  const isTeaser = chars < shortArticleChars ? pageChars > 2 * chars : pageChars > 8 * chars;
  if (isTeaser) return undefined;
  return { title: oneLine(article?.title ?? "") || title, text: toMarkdown(content), isPlain: false };
}

async function readWhole(html: string, url: string): Promise<ReadPage> {
  const document = await openDocument(html, url);
  const { toMarkdown } = await import("./markdown.ts");
  const title = findTitle(document);
  const main = document.querySelector("main, [role=main], article");
  const root = main !== null && textLength(main) * 2 > textLength(document.body) ? main : document.body;
  removeAll(root, "footer, aside, form");
  return { title, text: toMarkdown(root), isPlain: false };
}

function findTitle(document: DomDocument): string {
  const title =
    document.querySelector("title")?.textContent ?? document.querySelector("h1")?.textContent ?? "";
  return oneLine(title);
}

function textLength(element: DomElement): number {
  return oneLine(element.textContent).length;
}

/** The document without what is not there to be read, every address made whole. */
async function openDocument(html: string, url: string): Promise<DomDocument> {
  const document = await parseDocument(html);
  removeAll(document.body, "nav, [role=navigation], [hidden], [aria-hidden=true], svg, object, canvas");
  const base = URL.parse(document.querySelector("base")?.getAttribute("href") ?? "", url)?.href ?? url;
  for (const link of document.querySelectorAll("a[href]")) makeAbsolute(link, "href", base);
  for (const image of document.querySelectorAll("img[src]")) makeAbsolute(image, "src", base);
  return document;
}

function makeAbsolute(element: DomElement, attribute: "href" | "src", base: string): void {
  const target = URL.parse(element.getAttribute(attribute) ?? "", base);
  const isUseful = target !== null && ["http:", "https:", "mailto:"].includes(target.protocol);
  if (isUseful) element.setAttribute(attribute, target.href);
  else element.removeAttribute(attribute);
}

function removeAll(root: DomElement, selector: string): void {
  for (const element of root.querySelectorAll(selector)) element.remove();
}
