import { deserialize, serialize } from "node:v8";

/**
 * A frame between haft and its process helper: length of what follows (4 bytes), kind (1), number of the run (4),
 * payload. Output travels as it is; everything else in the structured clone format.
 */
export interface Frame {
  readonly kind: FrameKind;
  readonly run: number;
  readonly payload: Buffer;
}

export const frameKinds = {
  // To the helper.
  start: 1,
  stop: 2,
  wait: 8,
  endWait: 9,
  // From the helper.
  started: 3,
  stdout: 4,
  stderr: 5,
  ended: 6,
  failed: 7,
} as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

const lengthBytes = 4;
const headerBytes = 5;

/** The part of a stream that frames are written to. */
interface FrameSink {
  cork(): void;
  uncork(): void;
  write(chunk: Uint8Array): boolean;
}

export function writeFrame(sink: FrameSink, kind: FrameKind, run: number, payload: Uint8Array): void {
  const header = Buffer.allocUnsafe(lengthBytes + headerBytes);
  header.writeUInt32BE(headerBytes + payload.byteLength, 0);
  header.writeUInt8(kind, lengthBytes);
  header.writeUInt32BE(run, lengthBytes + 1);
  sink.cork();
  sink.write(header);
  if (payload.byteLength > 0) sink.write(payload);
  sink.uncork();
}

export function toPayload(value: unknown): Buffer {
  return serialize(value);
}

export function fromPayload<Value>(payload: Buffer): Value {
  return deserialize(payload) as Value;
}

/** Cuts a byte stream into frames, whatever pieces it comes in; copies each byte at most once. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = lengthBytes;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    if (this.#held < this.#wanted) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held);
    while (bytes.byteLength >= lengthBytes) {
      const end = lengthBytes + bytes.readUInt32BE(0);
      if (bytes.byteLength < end) break;
      this.#onFrame({
        kind: bytes.readUInt8(lengthBytes) as FrameKind,
        run: bytes.readUInt32BE(lengthBytes + 1),
        payload: bytes.subarray(lengthBytes + headerBytes, end),
      });
      bytes = bytes.subarray(end);
    }
    this.#chunks = bytes.byteLength > 0 ? [bytes] : [];
    this.#held = bytes.byteLength;
    this.#wanted = this.#held >= lengthBytes ? lengthBytes + bytes.readUInt32BE(0) : lengthBytes;
  }
}
