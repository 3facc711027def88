import type { z } from "zod";
import { parseJson } from "../../../base/index.ts";
import type { HttpRequest } from "../../../host/index.ts";
import { NetworkError } from "../errors.ts";
import type { WebSearchOptions } from "../network-options.ts";
import type { FoundPage } from "./duckduckgo-page.ts";

/** One service that searches the web: the request it wants, and what its answer says. */
export interface SearchProvider {
  /** The title, for people. */
  readonly title: string;
  /** Every request goes to this origin. */
  readonly baseUrl: string;
  request(query: string, limit: number): HttpRequest;
  /**
   * Reads a body with a good status. Throws a {@link NetworkError} where that is not what the provider
   * promises.
   */
  parse(body: string, readPage: ReadResultPage): SearchFindings | Promise<SearchFindings>;
}

/** Reads a page of results where it can be stopped. */
export type ReadResultPage = (html: string) => Promise<readonly FoundPage[]>;

export interface SearchFindings {
  readonly results: readonly FoundPage[];
  /** The provider's own summary. */
  readonly answer?: string;
}

export type ProviderSettings = WebSearchOptions & { readonly apiKey: string };

export function joinUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `${base.replace(/\/+$/, "")}${path}${text === "" ? "" : `?${text}`}`;
}

/** @throws {NetworkError} SEARCH_ANSWER */
export function parseAnswer<Schema extends z.ZodType>(
  title: string,
  schema: Schema,
  body: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  throw new NetworkError(
    "SEARCH_ANSWER",
    `Cannot search with ${title}: its answer is not in the form it promises; check the base URL in the configuration`,
    { cause: parsed.error },
  );
}
