import { formatAttached } from "../../../app/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import type { ImagePart, TextPart } from "../../../model/index.ts";
import type { SaidBody, SentFile } from "../api/index.ts";
import { ConsoleFault } from "../errors.ts";
import { badInput } from "./input.ts";

/** Maximum size of all files of a message together. An entry of a session holds that much in base64, with its texts. */
export const mostSentBytes = 4_000_000;
/** Maximum length of all texts in the files of a message. */
const mostTextChars = 200_000;

/** The JSON Schema of the files in a body. */
export const sentFilesSchema = {
  type: "array",
  minItems: 1,
  maxItems: 20,
  items: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 300 },
      data: { type: "string", pattern: "^[A-Za-z0-9+/]*={0,2}$" },
    },
    required: ["name", "data"],
    additionalProperties: false,
  },
} as const;

/** Maximum number of files in one message. */
export const mostSentFiles: number = sentFilesSchema.maxItems;

/** A message as a session keeps it. */
interface Message {
  readonly parts: readonly (TextPart | ImagePart)[];
  readonly trust: Trust;
}

/**
 * Makes a message of what a person said and the files they sent with it. Nothing is known of where such a file comes
 * from, so a message with files is untrusted.
 *
 * @throws {ConsoleFault} CONSOLE_INPUT: it is empty, too long, or a file is of no kind that a model reads.
 * @throws {FileToolError} PDF_UNREADABLE
 */
export async function readMessage({ text, files = [] }: SaidBody, signal: AbortSignal): Promise<Message> {
  if (text === undefined && files.length === 0) throw badInput("say something, or attach a file");
  const said = text === undefined ? [] : [{ type: "text" as const, text }];
  if (files.length === 0) return { parts: said, trust: "trusted" };
  const read = files.map(({ name, data }): DecodedFile => ({ name, bytes: Buffer.from(data, "base64") }));
  const size = read.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > mostSentBytes)
    throw badInput(
      `the files have ${size} bytes together, and at most ${mostSentBytes} are taken; put them into the folder of the project and name them in the message`,
    );
  const sent: (TextPart | ImagePart)[] = [];
  let chars = 0;
  for (const file of read) {
    const content = await readContent(file, signal);
    const isText = typeof content === "string";
    if (isText) chars += content.length;
    if (chars > mostTextChars)
      throw cannotAttach(
        file.name,
        `the files of a message may have ${mostTextChars} characters of text together; put it into the folder of the project and name it in the message, so that the agent reads it in parts`,
      );
    const { name } = file;
    sent.push({ type: "text", text: formatAttached(isText ? { name, text: content } : { name }) });
    if (!isText) sent.push(content);
  }
  return { parts: [...said, ...sent], trust: "untrusted" };
}

interface DecodedFile extends Pick<SentFile, "name"> {
  readonly bytes: Buffer;
}

/** The text of a file, or the picture that it is. Its first bytes tell its kind, whatever its name says. */
async function readContent({ name, bytes }: DecodedFile, signal: AbortSignal): Promise<string | ImagePart> {
  const { decodeText, detectForm, detectMedia, extractPdfText, headBytes, maxImageBytes } = await import(
    "../../../modules/files/index.ts"
  );
  const media = detectMedia(bytes);
  if (media?.kind === "pdf") return extractPdfText(bytes, name, signal);
  if (media?.kind === "image") {
    if (bytes.length > maxImageBytes)
      throw cannotAttach(
        name,
        `a picture may have ${maxImageBytes} bytes, and it has ${bytes.length}; make it smaller first`,
      );
    return { type: "image", mimeType: media.mimeType, data: bytes.toString("base64") };
  }
  const form = detectForm(bytes.subarray(0, headBytes));
  if (form === undefined)
    throw cannotAttach(name, "it is neither text nor a PDF nor a picture (PNG, JPEG, GIF, WebP)");
  return decodeText(bytes.subarray(form.bom), form.encoding).text;
}

function cannotAttach(name: string, why: string): ConsoleFault {
  return new ConsoleFault("CONSOLE_INPUT", `Cannot attach "${name}": ${why}`);
}
