import { type PdfPages, readPdfPages } from "../../files/index.ts";
import { type FoundPage, readDuckDuckGo } from "../search/duckduckgo-page.ts";
import { type ReadPage, readHtml } from "./read-html.ts";

/** Work on a document from outside, done where it can be stopped. */
export type PageJob =
  | { readonly kind: "html"; readonly html: string; readonly url: string }
  | { readonly kind: "pdf"; readonly bytes: Uint8Array; readonly maxChars: number }
  | { readonly kind: "duckduckgo"; readonly html: string };

export interface PageJobResults {
  readonly html: ReadPage;
  readonly pdf: PdfPages;
  readonly duckduckgo: readonly FoundPage[];
}

/** Runs in a worker; see `send-page-job.ts`. */
export async function runPageJob(job: PageJob): Promise<PageJobResults[PageJob["kind"]]> {
  if (job.kind === "html") return readHtml(job.html, job.url);
  return job.kind === "pdf" ? readPdfPages(job.bytes, job.maxChars) : readDuckDuckGo(job.html);
}
