import { stripTypeScriptTypes } from "node:module";

/**
 * TypeScript without its types, each place where it was. Node's warning that it is experimental is kept back.
 *
 * @throws {SyntaxError} for what is no TypeScript, or needs more than to leave out types; its stack begins with `:LINE`.
 */
export function stripTypes(text: string): string {
  const show = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
  process.emitWarning = (...warning: unknown[]) => {
    if (!String(warning[0]).startsWith("stripTypeScriptTypes is an experimental feature")) show(...warning);
  };
  try {
    return stripTypeScriptTypes(text, { mode: "strip" });
  } finally {
    process.emitWarning = show;
  }
}
