import type { CodeKernel } from "./code-kernel.ts";
import { hammingWasm } from "./hamming-wasm.ts";

/** The part of the engine's WebAssembly that is used here. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly measure: (
    codes: number,
    count: number,
    blocks: number,
    query: number,
    distances: number,
    histogram: number,
  ) => void;
  readonly collect: (distances: number, count: number, least: number, most: number, found: number) => number;
}

/** Undefined where this engine has no WebAssembly with 128-bit numbers. */
export function createWasmKernel(): CodeKernel | undefined {
  const exports = instantiate();
  if (exports === undefined) return undefined;
  const { memory, measure, collect } = exports;
  return {
    kind: "wasm",
    bytes: () => new Uint8Array(memory.buffer),
    grow: (pages) => void memory.grow(pages),
    measure: ({ codes, count, blocks, distances }, query, histogram) =>
      measure(codes, count, blocks, query, distances, histogram),
    collect: ({ distances, count }, { least, most }, found) => collect(distances, count, least, most, found),
  };
}

function instantiate(): Exports | undefined {
  const { WebAssembly: engine } = globalThis as { readonly WebAssembly?: Engine };
  if (engine === undefined) return undefined;
  try {
    return new engine.Instance(new engine.Module(Buffer.from(hammingWasm, "base64"))).exports;
  } catch {
    return undefined;
  }
}
