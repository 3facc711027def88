import { isUtf8 } from "node:buffer";
import { wholeLength } from "../../../base/index.ts";
import { FileToolError } from "../errors.ts";

export const textEncodings = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;
export type TextEncoding = (typeof textEncodings)[number];

/** How the text of a file is written down. */
export interface TextForm {
  readonly encoding: TextEncoding;
  /** Bytes of the byte order mark. */
  readonly bom: number;
}

/** The bytes at the head of a file that tell its form. */
export const headBytes: number = 64 * 1024;

/** The form of a text by its first {@link headBytes}, or all of them; undefined for what is no text. */
export function detectForm(head: Uint8Array): TextForm | undefined {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", bom: 3 };
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { encoding: "utf-16le", bom: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", bom: 2 };
  if (head.includes(0)) return undefined;
  const certain = head.length < headBytes ? head : head.subarray(0, wholeLength(head));
  return { encoding: isUtf8(certain) ? "utf-8" : "latin1", bom: 0 };
}

export function isWide(encoding: TextEncoding): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/** Bytes that are not UTF-8 after all read as Latin-1, one character each: nothing is lost. */
export function decodeText(
  bytes: Uint8Array,
  encoding: TextEncoding,
): { readonly text: string; readonly encoding: TextEncoding } {
  if (isWide(encoding))
    return { text: new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes), encoding };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === "utf-8" && isUtf8(buffer)) return { text: buffer.toString(), encoding };
  return { text: buffer.toString("latin1"), encoding: "latin1" };
}

/** Throws FILE_ENCODING for characters that the encoding has no bytes for. */
export function encodeText(text: string, encoding: TextEncoding, path: string): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text);
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    case "latin1": {
      const stranger = Array.from(text).find((char) => char > "\u00ff");
      if (stranger === undefined) return Buffer.from(text, "latin1");
      throw new FileToolError(
        "FILE_ENCODING",
        `Cannot write "${stranger}" to "${path}": the file is in Latin-1, which lacks it; use other characters, or write the whole file anew with encoding "utf-8"`,
      );
    }
  }
}

/** The byte order mark that a form begins with. */
export function makeBom({ encoding, bom }: TextForm): Buffer {
  return bom === 0 ? Buffer.alloc(0) : encodeText("\ufeff", encoding, "");
}
