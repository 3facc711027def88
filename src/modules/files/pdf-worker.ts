import { answerFromWorker } from "../../host/index.ts";
import { readPdfPages } from "./documents/pdf-pages.ts";

/** What the worker is given; it answers with the document's pages. */
export interface PdfTask {
  readonly bytes: Uint8Array;
  readonly maxChars: number;
}

await answerFromWorker(({ bytes, maxChars }: PdfTask) => readPdfPages(bytes, maxChars));
