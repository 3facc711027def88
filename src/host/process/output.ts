import { formatBytes, wholeLength, wholeStart } from "../../base/index.ts";
import { HeadBytes } from "./kept-bytes.ts";
import type { OutputEnd } from "./request.ts";

/** What a process wrote to one of its outputs. */
export interface ProcessOutput {
  /** All of it, or its beginning and end around a line that says how much was left out between them. */
  readonly text: string;
  /** Size of the whole output, kept or not. */
  readonly totalBytes: number;
  readonly omittedBytes: number;
  /** Some bytes were not UTF-8 and stand as U+FFFD in `text`. */
  readonly lossy: boolean;
}

/** Gathers one output: tells of its text as it comes, and has the whole at the end. */
export class OutputCollector {
  readonly #head: HeadBytes;
  readonly #onText: (text: string) => void;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(headBytes: number, onText: (text: string) => void) {
    this.#head = new HeadBytes(headBytes);
    this.#onText = onText;
  }

  push(bytes: Buffer): void {
    this.#tell(this.#decoder.decode(this.#head.push(bytes), { stream: true }));
  }

  end({ totalBytes, tail }: OutputEnd): ProcessOutput {
    const head = this.#head.bytes();
    const omittedBytes = totalBytes - head.byteLength - tail.byteLength;
    if (omittedBytes <= 0) {
      this.#tell(this.#decoder.decode(tail));
      return {
        ...decode(tail.byteLength === 0 ? head : Buffer.concat([head, tail])),
        totalBytes,
        omittedBytes: 0,
      };
    }
    const first = decode(head.subarray(0, wholeLength(head)));
    const last = decode(tail.subarray(wholeStart(tail)));
    const gap = `\n[${formatBytes(omittedBytes)} of output left out here]\n`;
    this.#tell(gap + last.text);
    return { text: first.text + gap + last.text, lossy: first.lossy || last.lossy, totalBytes, omittedBytes };
  }

  #tell(text: string): void {
    if (text !== "") this.#onText(text);
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array): Pick<ProcessOutput, "text" | "lossy"> {
  try {
    return { text: strict.decode(bytes), lossy: false };
  } catch {
    return { text: lenient.decode(bytes), lossy: true };
  }
}
