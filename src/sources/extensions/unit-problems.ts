import { fileURLToPath } from "node:url";
import { isRecord } from "../../base/index.ts";
import type { SourceProblem } from "../source.ts";
import type { ExtensionErrorCode } from "./errors.ts";
import type { ExtensionUnit } from "./layout.ts";

/** What is wrong with one extension, as it is loaded. */
export class UnitProblems {
  readonly list: SourceProblem[] = [];
  readonly #unit: ExtensionUnit;

  constructor(unit: ExtensionUnit) {
    this.#unit = unit;
  }

  add(where: string, code: ExtensionErrorCode, message: string, line?: number): void {
    this.list.push({ where, code, message, ...(line !== undefined && { line }) });
  }

  skip(url: string, code: ExtensionErrorCode, why: string): void {
    this.add(fileURLToPath(url), code, `Cannot use "${this.#unit.name}": ${why}`);
  }

  /** Adds a fault that was thrown in the worker, with its place as far as that is in the extension. */
  fault(url: string, given: unknown): void {
    const fault = isRecord(given) ? given : {};
    const place = isRecord(fault["place"]) ? fault["place"] : {};
    const isOwn = this.#unit.files.some((file) => file.url === place["url"]);
    const line = isOwn && typeof place["line"] === "number" ? place["line"] : undefined;
    const why = typeof fault["message"] === "string" ? fault["message"].slice(0, 1000) : "it failed";
    const where = fileURLToPath(isOwn ? (place["url"] as string) : url);
    this.add(where, "EXTENSION_LOAD", `Cannot load "${this.#unit.name}": ${why}`, line);
  }
}
