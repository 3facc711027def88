import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { computing } from "./computing.ts";
import { DataError } from "./errors.ts";

const parameters = z.strictObject({
  encoded: z
    .string()
    .describe("Base64, in the standard or the URL alphabet; line breaks and spaces are skipped"),
});

export function base64DecodeTool(): Tool {
  return defineTool({
    name: "base64_decode",
    title: "Decode Base64",
    description:
      "Decode Base64 to the text it stands for. Returns {decoded}; bytes that are not a text in UTF-8 are refused.",
    category: "data",
    parameters,
    annotations: computing,
    execute: ({ encoded }) => ({ decoded: toText(toBytes(encoded)) }),
  });
}

function toBytes(encoded: string): Buffer {
  const text = encoded.replace(/[\t\n\f\r ]+/g, "");
  const isUrl = /[-_]/.test(text);
  const [alphabet, name] = isUrl
    ? [/[^A-Za-z0-9_-]/, "the URL alphabet"]
    : [/[^A-Za-z0-9+/]/, "the standard alphabet"];
  const digits = text.replace(/={1,2}$/, "");
  const foreign = digits.search(alphabet);
  if (foreign >= 0) {
    const char = JSON.stringify(String.fromCodePoint(digits.codePointAt(foreign) as number));
    throw invalid(
      `the character ${char} at position ${foreign} (spaces not counted) is not of ${name}; correct it`,
    );
  }
  const padding = text.length - digits.length;
  if (digits.length % 4 === 1)
    throw invalid(
      `its length of ${digits.length} is one too many or three too few, so it was cut off; give all of it`,
    );
  if ((padding > 0 || !isUrl) && text.length % 4 !== 0) {
    throw invalid(
      `with ${text.length} characters it is not a multiple of 4; complete it with "=" if nothing was cut off`,
    );
  }
  const bytes = Buffer.from(digits, isUrl ? "base64url" : "base64");
  if (bytes.toString(isUrl ? "base64url" : "base64").replace(/=+$/, "") !== digits) {
    throw invalid(
      "its last character has bits that belong to no byte, so it was cut off or changed; give it as it was made",
    );
  }
  return bytes;
}

function invalid(state: string): DataError {
  return new DataError("BASE64_INVALID", `Cannot decode Base64: ${state}`);
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const first = bytes.subarray(0, 16).toString("hex");
    throw new DataError(
      "TEXT_INVALID",
      `Cannot decode as text: the ${bytes.byteLength} bytes are not UTF-8, they begin with ${first} in hexadecimal; decode them into a file instead`,
      { cause, details: { bytes: bytes.byteLength, firstBytesHex: first } },
    );
  }
}
