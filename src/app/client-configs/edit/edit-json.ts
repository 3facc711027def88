import { parseJsonWithComments } from "../json-with-comments.ts";
import type { FormEditor } from "./client-edit.ts";

/** Editor for JSON with comments; comments and indentation are kept. */
export async function jsonEditor(): Promise<FormEditor> {
  const { applyEdits, modify } = await import("jsonc-parser");
  const change = (text: string, path: readonly (string | number)[], value: unknown): string =>
    applyEdits(text, modify(text, [...path], value, { formattingOptions: detectFormatting(text) }));
  return {
    parse: (text) => (text.trim() === "" ? {} : parseJsonWithComments(text)),
    set: change,
    append: (text, path, item, length) =>
      applyEdits(
        text,
        modify(text, [...path, length], item, {
          formattingOptions: detectFormatting(text),
          isArrayInsertion: true,
        }),
      ),
    remove: (text, path) => change(text, path, undefined),
  };
}

function detectFormatting(text: string): { tabSize: number; insertSpaces: boolean; eol: string } {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    insertSpaces: !indent.startsWith("\t"),
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
