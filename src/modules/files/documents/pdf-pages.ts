import { cutHead } from "../../../base/index.ts";

/** The text of a PDF. */
export interface PdfPages {
  /** Up to `maxChars` of them together. */
  readonly pages: readonly string[];
  readonly totalPages: number;
}

/** Takes the text out of a PDF, page by page, at most `maxChars` of it. Only to be done in a worker. */
export async function readPdfPages(bytes: Uint8Array, maxChars: number): Promise<PdfPages> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const pages: string[] = [];
  let chars = 0;
  for (let number = 1; number <= document.numPages && chars < maxChars; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    pages.push(cutHead(text, maxChars - chars));
    chars += text.length;
  }
  return { pages, totalPages: document.numPages };
}
