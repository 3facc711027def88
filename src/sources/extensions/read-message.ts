import { fileURLToPath } from "node:url";
import { cutHead, isRecord } from "../../base/index.ts";
import { type ContentBlock, ToolContent, type ToolContext, toolErrorCodes } from "../../kernel/index.ts";

/*
 * What a worker says of a call, taken for no more than it may be: its values are JSON, its blocks are blocks, and its
 * errors do not pass for decisions of the gate.
 */

/** @throws {TypeError} for what is neither progress nor output. */
export function readUpdate(message: Readonly<Record<string, unknown>>, context: ToolContext): void {
  const { type, text, progress, total, message: words } = message;
  if (type === "output" && typeof text === "string") return context.output(text);
  if (type === "progress" && typeof progress === "number") {
    const known = typeof total === "number" ? total : undefined;
    return context.progress(progress, known, typeof words === "string" ? cutHead(words, 1000) : undefined);
  }
  throw new TypeError("what is no message");
}

/** @throws {TypeError} for blocks that are none. */
export function readResult({ value, content }: Readonly<Record<string, unknown>>): unknown {
  if (content === undefined) return value;
  if (!isRecord(content) || !Array.isArray(content["blocks"]) || !content["blocks"].every(isBlock))
    throw new TypeError("a result whose blocks are none");
  const trust = content["trust"] === "untrusted" ? "untrusted" : undefined;
  return new ToolContent(content["blocks"], content["structured"], trust);
}

function isBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block)) return false;
  const hasTexts = (...names: readonly string[]) => names.every((name) => typeof block[name] === "string");
  switch (block["type"]) {
    case "text":
      return hasTexts("text");
    case "image":
    case "audio":
      return hasTexts("data", "mimeType");
    case "resource":
      return isResource(block["resource"]);
    case "resource_link":
      return hasTexts("uri", "name");
    default:
      return false;
  }
}

function isResource(resource: unknown): boolean {
  if (!isRecord(resource) || typeof resource["uri"] !== "string") return false;
  return ["text", "blob", "mimeType"].every((name) =>
    ["string", "undefined"].includes(typeof resource[name]),
  );
}

/** The same result, marked as somebody else's. */
export function asUntrusted(result: unknown): ToolContent {
  if (result instanceof ToolContent) return new ToolContent(result.blocks, result.structured, "untrusted");
  const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "");
  return new ToolContent([{ type: "text", text }], result, "untrusted");
}

/** Codes that say what the gate did; from a tool they would say something that did not happen. */
const ownCodes: ReadonlySet<string> = new Set(
  toolErrorCodes.filter((code) => !/^(TOOL_(FAILED|VALIDATION|OUTPUT)$|SECRET_)/.test(code)),
);

/** The file and line of an error, as a worker names them; undefined for what is none. */
function readPlace(place: unknown): string | undefined {
  const { url, line }: Readonly<Record<string, unknown>> = isRecord(place) ? place : {};
  if (typeof url !== "string" || !Number.isSafeInteger(line)) return undefined;
  try {
    return `${cutHead(fileURLToPath(url), 1000)}:${line as number}`;
  } catch {
    return undefined;
  }
}

/** The error that a tool threw; the executor takes secrets out of all of it. */
export function readFault(fault: unknown): Error {
  const { message, code, details, place }: Readonly<Record<string, unknown>> = isRecord(fault) ? fault : {};
  const error = new Error(
    typeof message === "string" && message !== "" ? cutHead(message, 4000) : "it failed, and did not say why",
  );
  const isCode =
    typeof code === "string" && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(code) && !ownCodes.has(code);
  const where = readPlace(place);
  const facts = { ...(isRecord(details) && details), ...(where !== undefined && { place: where }) };
  return Object.assign(error, {
    code: isCode ? code : "TOOL_FAILED",
    ...(Object.keys(facts).length > 0 && { details: facts }),
  });
}
