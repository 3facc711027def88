import type { Transaction } from "kysely";
import { type Clock, formatBytes } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { randomId, StoreError } from "../../../db/index.ts";
import type { ArtifactPage, ArtifactRef, NewArtifact } from "../../../kernel/index.ts";
import type { ArtifactFiles } from "./artifact-files.ts";
import type { ArtifactInfo, Artifacts, Pruned, PruneOptions } from "./artifacts.ts";
import { cutPage, type Range, toRange, widen } from "./page.ts";
import { type Part, partLength, toContent } from "./parts.ts";
import { Retention } from "./retention.ts";
import type { ArtifactPartRow, ArtifactRow, Tables } from "./tables.ts";

export interface SqlArtifactsOptions {
  readonly clock: Clock;
  /** The files for artifacts over 256 KiB; absent, all are in the database. */
  readonly files: ArtifactFiles | undefined;
  /** Bytes of one artifact. */
  readonly maxBytes: number;
  /** Bytes of all; past this, `put` makes room. */
  readonly maxTotalBytes: number;
}

/** Up to here a row is about as fast as a file; past it SQLite, which writes all bytes twice, falls behind. */
const inlineBytes = 262_144;

/** Artifacts over any {@link TypedDatabase}. */
export class SqlArtifacts implements Artifacts {
  readonly #db: TypedDatabase<Tables>;
  readonly #options: SqlArtifactsOptions;
  readonly #retention: Retention;

  constructor(db: TypedDatabase<Tables>, options: SqlArtifactsOptions) {
    this.#db = db;
    this.#options = options;
    this.#retention = new Retention(db, options);
  }

  async put({ scope, callId, kind, mimeType, trust = "trusted", data }: NewArtifact): Promise<ArtifactRef> {
    const { clock, files, maxBytes } = this.#options;
    const { bytes, isText, parts } = toContent(data);
    if (bytes > maxBytes) throw tooLarge(bytes, maxBytes);
    const id = randomId("a", 20);
    const inFile = files !== undefined && bytes > inlineBytes;
    const cut: CutPart[] = [];
    if (inFile) await files.write(id, noting(cut, parts()));
    else
      cut.push(...Array.from(parts(), (part) => ({ ...part, bytes: part.bytes.length, data: part.bytes })));
    const chars = cut.reduce((sum, part) => sum + part.chars, 0);
    const row: ArtifactRow = {
      id,
      scope,
      call_id: callId,
      kind,
      mime_type: mimeType,
      bytes,
      chars: isText ? chars : null,
      in_file: inFile ? 1 : 0,
      created_at: clock.now(),
      trust,
    };
    try {
      await this.#db.write(async (tx) => {
        await tx.insertInto("artifact").values(row).execute();
        if (!inFile || hasWideChars(row)) await insertParts(tx, id, cut);
      });
    } catch (thrown) {
      if (inFile) await files.remove(id);
      throw thrown;
    }
    await this.#retention.keepWithinTotal(bytes);
    return { id, chars };
  }

  async describe(scope: string, id: string): Promise<ArtifactInfo | undefined> {
    const row = await this.#find(scope, id);
    if (row === undefined) return undefined;
    return {
      id,
      scope,
      callId: row.call_id,
      kind: row.kind,
      mimeType: row.mime_type,
      bytes: row.bytes,
      chars: row.chars ?? undefined,
      createdAt: row.created_at,
      trust: row.trust,
    };
  }

  async readText(
    scope: string,
    id: string,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): Promise<ArtifactPage | undefined> {
    const row = await this.#find(scope, id);
    if (row === undefined) return undefined;
    if (row.chars === null) throw notText(row);
    const range = toRange(offset, length, row.chars);
    const wide = widen(range, row.chars);
    const page = cutPage(await this.#readChars(row, wide), wide.start, range);
    return { ...page, totalChars: row.chars, trust: row.trust };
  }

  async readBytes(scope: string, id: string): Promise<Uint8Array | undefined> {
    const row = await this.#find(scope, id);
    if (row === undefined) return undefined;
    if (row.in_file === 1) return this.#readFile(row, 0, row.bytes);
    const bytes = join(await this.#parts(id, { start: 0, end: Number.MAX_SAFE_INTEGER }));
    if (bytes.length !== row.bytes) throw damaged(row, this.#db.path);
    return bytes;
  }

  prune(options: PruneOptions): Promise<Pruned> {
    return this.#retention.prune(options);
  }

  removeOutputs(callId: string): Promise<Pruned> {
    return this.#retention.removeOutputs(callId);
  }

  async #find(scope: string, id: string): Promise<ArtifactRow | undefined> {
    const db = await this.#db.queries();
    return db
      .selectFrom("artifact")
      .selectAll()
      .where("scope", "=", scope)
      .where("id", "=", id)
      .executeTakeFirst();
  }

  async #parts(id: string, range: Range): Promise<readonly ArtifactPartRow[]> {
    const db = await this.#db.queries();
    return db
      .selectFrom("artifact_part")
      .selectAll()
      .where("artifact_id", "=", id)
      .where("char_start", ">", range.start - partLength)
      .where("char_start", "<", range.end)
      .orderBy("char_start")
      .execute();
  }

  async #readChars(row: ArtifactRow, { start, end }: Range): Promise<string> {
    if (start === end) return "";
    if (row.in_file === 1 && !hasWideChars(row))
      return (await this.#readFile(row, start, end)).toString("latin1");
    const parts = await this.#parts(row.id, { start, end });
    const first = parts[0];
    const last = parts.at(-1);
    if (first === undefined || last === undefined) throw damaged(row, this.#db.path);
    const bytes =
      row.in_file === 1
        ? await this.#readFile(row, first.byte_start, last.byte_start + last.bytes)
        : join(parts);
    return bytes.toString().slice(start - first.char_start, end - first.char_start);
  }

  async #readFile(row: ArtifactRow, start: number, end: number): Promise<Buffer> {
    const bytes = await this.#options.files?.read(row.id, start, end);
    if (bytes?.length !== end - start) throw damaged(row, this.#db.path);
    return bytes;
  }
}

/** A part without what it holds, or with it where that goes into the database. */
type CutPart = Omit<Part, "bytes"> & { readonly bytes: number; readonly data: Uint8Array | null };

/** Passes parts on, and notes where each begins. */
function* noting(cut: CutPart[], parts: Iterable<Part>): Generator<Part, void> {
  for (const part of parts) {
    cut.push({ ...part, bytes: part.bytes.length, data: null });
    yield part;
  }
}

async function insertParts(tx: Transaction<Tables>, id: string, parts: readonly CutPart[]): Promise<void> {
  const atOnce = 500;
  for (let start = 0; start < parts.length; start += atOnce) {
    const rows = parts.slice(start, start + atOnce).map(({ charStart, byteStart, bytes, data }) => ({
      artifact_id: id,
      char_start: charStart,
      byte_start: byteStart,
      bytes,
      data,
    }));
    await tx.insertInto("artifact_part").values(rows).execute();
  }
}

/** Whether each character is a byte: then a place in the text is a place in the file, and no row has to say it. */
function hasWideChars({ chars, bytes }: ArtifactRow): boolean {
  return chars !== null && chars !== bytes;
}

function join(parts: readonly ArtifactPartRow[]): Buffer {
  return Buffer.concat(parts.map((part) => part.data ?? new Uint8Array()));
}

function tooLarge(bytes: number, maxBytes: number): StoreError {
  return new StoreError(
    "STORE_TOO_LARGE",
    `Cannot keep ${formatBytes(bytes)} as an artifact: the limit is ${formatBytes(maxBytes)}; raise the limit, or ask for less`,
    { details: { bytes, maxBytes } },
  );
}

function notText({ id, bytes, mime_type }: ArtifactRow): StoreError {
  return new StoreError(
    "STORE_NOT_TEXT",
    `Cannot read artifact "${id}" as text: it is ${formatBytes(bytes)} of ${mime_type} and not UTF-8; read its bytes`,
    { details: { bytes, mimeType: mime_type } },
  );
}

function damaged({ id }: ArtifactRow, path: string): StoreError {
  return new StoreError(
    "STORE_CORRUPT",
    `Cannot read artifact "${id}" of the store "${path}": a part of it is gone from the disk; restore a copy of the store, or do without it`,
  );
}
