import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/store/index.ts";
import { median } from "../harness.ts";
import { PlainTexts } from "./plain-texts.ts";

export interface ScaleFigures {
  readonly entries: number;
  readonly "insert cpu ms": number;
  readonly "single insert cpu ms": number;
  readonly "bytes each": number;
  readonly "open ms": number;
  readonly "first search ms": number;
  readonly "search cpu ms": number;
  readonly "search p50 ms": number;
  readonly "search p99 ms": number;
  readonly "RSS MiB": number;
}

const scopeSize = 1000;
const searches = 200;

/** Texts made up of a list of words, in scopes of a thousand; words alone, as vectors have a program of their own. */
export async function measureScale(entries: number): Promise<ScaleFigures> {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const path = join(folder, "store.db");
  const texts = new PlainTexts();
  try {
    const filling = await openStore({ path });
    let cpu = process.cpuUsage();
    for (let start = 0; start < entries; start += scopeSize) {
      const edits = Array.from({ length: Math.min(scopeSize, entries - start) }, (_, at) => ({
        do: "create_block" as const,
        entry: {
          kind: "message",
          text: texts.text(start + at),
          place: { session: `s${Math.floor((start + at) / 50)}`, speaker: at % 2 === 0 ? "Ada" : "Grace" },
          at: Date.UTC(2026, 0, 1) + (start + at) * 60_000,
        },
      }));
      await filling.memory.edit(toScope(start), edits, { by: "import:bench" });
    }
    const insert = cpuMs(cpu) / entries;
    cpu = process.cpuUsage();
    for (let at = 0; at < searches; at++) {
      const entry = { kind: "memory", text: texts.text(entries + at) };
      await filling.memory.edit(toScope((at * scopeSize * 7) % entries), [{ do: "create_block", entry }], {
        by: "bench",
      });
    }
    const single = cpuMs(cpu) / searches;
    await filling.close();

    let start = performance.now();
    const store = await openStore({ path });
    await store.warm();
    const open = performance.now() - start;
    const scopes = Math.max(1, Math.floor(entries / scopeSize));
    const search = (at: number) =>
      store.memory.search(toScope(((at * 7919) % scopes) * scopeSize), { query: texts.question(at) });
    start = performance.now();
    await search(0);
    const first = performance.now() - start;
    for (let at = 1; at < 50; at++) await search(at);
    const times: number[] = [];
    cpu = process.cpuUsage();
    for (let at = 50; at < 50 + searches; at++) {
      start = performance.now();
      await search(at);
      times.push(performance.now() - start);
    }
    const searchCpu = cpuMs(cpu) / searches;
    await store.close();
    return {
      entries,
      "insert cpu ms": insert,
      "single insert cpu ms": single,
      "bytes each": statSync(path).size / entries,
      "open ms": open,
      "first search ms": first,
      "search cpu ms": searchCpu,
      "search p50 ms": median(times),
      "search p99 ms": times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0,
      "RSS MiB": process.memoryUsage.rss() / 1_048_576,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toScope(entry: number): string {
  return `scope-${Math.floor(entry / scopeSize)}`;
}

function cpuMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}
