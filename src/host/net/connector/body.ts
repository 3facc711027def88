import { pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";
import { getErrorCode } from "../../../base/index.ts";

export interface ReadBody {
  readonly bytes: Uint8Array;
  /** There was more than was read. */
  readonly truncated: boolean;
  /** Codings that were left in place, since nothing here undoes them. */
  readonly encoding: string | undefined;
}

const noop = () => undefined;

/** Reads at most `maxBytes` of `source` as they are after decompression, then closes it. */
export async function readBody(
  source: Readable,
  contentEncoding: string,
  maxBytes: number,
): Promise<ReadBody> {
  const { stream, codings, decoders } = decode(source, contentEncoding);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let truncated = false;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      const room = maxBytes - size;
      truncated = chunk.length > room;
      chunks.push(truncated ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, room);
      if (truncated) break;
    }
  } catch (error) {
    // A coding is often declared for a body that has nothing in it.
    const isEmpty = decoders?.[0]?.bytesWritten === 0 && getErrorCode(error) === "Z_BUF_ERROR";
    if (!isEmpty) throw error;
  } finally {
    // An abandoned body tells of it by an error that nobody waits for.
    source.on("error", noop).destroy();
  }
  return {
    bytes: Buffer.concat(chunks, size),
    truncated,
    encoding: decoders ? undefined : codings.join(", "),
  };
}

/** `source` as it is after decompression; as it came where a coding is unknown. Whoever has enough destroys it. */
export function decodeBody(source: Readable, contentEncoding: string): Readable {
  const { stream } = decode(source, contentEncoding);
  // An abandoned body tells of it by an error that nobody waits for.
  for (const one of new Set([source, stream])) one.on("error", noop);
  return stream;
}

interface Decoding {
  readonly stream: Readable;
  readonly codings: readonly string[];
  readonly decoders: readonly Decoder[] | undefined;
}

function decode(source: Readable, contentEncoding: string): Decoding {
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  const decoders = codings.length > 2 ? undefined : toDecoders(codings);
  const stream = (decoders ?? []).reduce<Readable>(
    (input, decoder) => pipeline(input, decoder, noop),
    source,
  );
  return { stream, codings, decoders };
}

/** The decoders in the order to undo codings; undefined where one is unknown. */
function toDecoders(codings: readonly string[]): Decoder[] | undefined {
  const decoders = codings.toReversed().map(toDecoder);
  return decoders.every((decoder) => decoder !== undefined) ? decoders : undefined;
}

function toDecoder(coding: string): Decoder | undefined {
  if (coding === "gzip" || coding === "x-gzip" || coding === "deflate") return zlib.createUnzip();
  if (coding === "br") return zlib.createBrotliDecompress();
  return coding === "zstd" ? zlib.createZstdDecompress() : undefined;
}

type Decoder = zlib.Unzip | zlib.BrotliDecompress | zlib.ZstdDecompress;
