import type { Trust } from "../../kernel/index.ts";

/** A file that a person gives beside their words. */
export interface AttachedFile {
  /** Its path or address. */
  readonly name: string;
  /** @default the model is told its name alone */
  readonly text?: string;
}

/** Puts a file into a message. What it says can't end it. */
export function formatAttached({ name, text }: AttachedFile): string {
  const path = name.replaceAll(/["<>\s]/g, (sign) => (sign === " " ? sign : encodeURIComponent(sign)));
  return text === undefined
    ? `<file path="${path}" />`
    : `<file path="${path}">\n${text.replaceAll(/<(?=\/file)/gi, "<\\")}\n</file>`;
}

/** The trust of a message, of which each part has its own. */
export function worstTrust(trusts: Iterable<Trust>): Trust {
  for (const trust of trusts) if (trust === "untrusted") return trust;
  return "trusted";
}
