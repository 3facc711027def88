import type { ReadPage } from "./read-html.ts";

/** The text of a PDF, page by page. Runs in a worker. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPage> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const { text } = await extractText(await getDocumentProxy(bytes, { verbosity: 0 }), { mergePages: false });
  const pages = text.map((page, index) => `[Page ${index + 1} of ${text.length}]\n\n${page.trim()}`);
  return { title: "", text: pages.join("\n\n"), isPlain: true };
}
