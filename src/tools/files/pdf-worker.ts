import { parentPort, workerData } from "node:worker_threads";

/** What the worker is given. */
export interface PdfTask {
  readonly bytes: Uint8Array;
  readonly maxChars: number;
}

/** What it answers with. */
export type PdfAnswer =
  | { readonly pages: readonly string[]; readonly totalPages: number }
  | { readonly fault: string };

async function extract({ bytes, maxChars }: PdfTask): Promise<PdfAnswer> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const pages: string[] = [];
  let chars = 0;
  for (let number = 1; number <= document.numPages && chars < maxChars; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    pages.push(text.slice(0, maxChars - chars));
    chars += text.length;
  }
  return { pages, totalPages: document.numPages };
}

extract(workerData as PdfTask).then(
  (answer) => parentPort?.postMessage(answer),
  (error: unknown) =>
    parentPort?.postMessage({ fault: error instanceof Error ? error.message : String(error) }),
);
