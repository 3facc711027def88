import { ChoiceBuilder } from "./choices.ts";
import type { Choice, Slot } from "./parts.ts";
import { ShellScanner } from "./shell-scanner.ts";
import { readTag } from "./tag.ts";

/** A piece of a line for bash: its text, or a value that is quoted. */
export type LinePart = { readonly text: string } | Slot;

/**
 * Reads a line for bash, in which every value stands where a quoted word may: not within quotes, a comment or a
 * calculation, where quoting would mean something else.
 *
 * @throws {CommandFault}
 */
export function readShellLine(text: string): readonly (LinePart | Choice<LinePart>)[] {
  const scanner = new ShellScanner(text);
  const built = new ChoiceBuilder<LinePart>();
  let start = 0;
  const flush = (end: number) => {
    if (end > start) built.add({ text: text.slice(start, end) });
  };
  while (scanner.at < text.length) {
    const { at } = scanner;
    const tag = readTag(text, at);
    if (tag === undefined) {
      scanner.step();
      continue;
    }
    scanner.enterTag(tag);
    flush(at);
    if (tag.kind === "value") built.add({ parameter: tag.name, offset: at });
    else built.take(tag, at);
    start = tag.end;
  }
  flush(text.length);
  scanner.end();
  return built.end();
}
