import type { Choice } from "./parts.ts";
import { CommandFault, type Tag } from "./tag.ts";

interface Frame<Part> {
  readonly tag: Tag;
  readonly offset: number;
  readonly held: (Part | Choice<Part>)[];
  readonly otherwise: (Part | Choice<Part>)[];
  hasElse: boolean;
}

/** Builds the parts of a command while its text is read, `{{#if}}` within `{{#if}}`. */
export class ChoiceBuilder<Part> {
  readonly #parts: (Part | Choice<Part>)[] = [];
  readonly #open: Frame<Part>[] = [];

  get depth(): number {
    return this.#open.length;
  }

  add(part: Part): void {
    this.#here().push(part);
  }

  /** Takes an `if`, an `else` or an end. */
  take(tag: Tag, offset: number): void {
    if (tag.kind === "if") {
      this.#open.push({ tag, offset, held: [], otherwise: [], hasElse: false });
      return;
    }
    const frame = this.#open.at(-1);
    if (frame === undefined || (tag.kind === "else" && frame.hasElse)) {
      const what = tag.kind === "else" ? "{{else}}" : "{{/if}}";
      throw new CommandFault(
        "COMMAND_SYNTAX",
        `${what} has no {{#if name}} before it; write one, or take it away`,
        offset,
      );
    }
    if (tag.kind === "else") {
      frame.hasElse = true;
      return;
    }
    this.#open.pop();
    const { held, otherwise } = frame;
    this.#here().push({ condition: frame.tag.name, offset: frame.offset, held, otherwise });
  }

  end(): readonly (Part | Choice<Part>)[] {
    const open = this.#open.at(-1);
    if (open !== undefined)
      throw new CommandFault(
        "COMMAND_SYNTAX",
        `{{#if ${open.tag.name}}} has no {{/if}}; close it`,
        open.offset,
      );
    return this.#parts;
  }

  #here(): (Part | Choice<Part>)[] {
    const frame = this.#open.at(-1);
    if (frame === undefined) return this.#parts;
    return frame.hasElse ? frame.otherwise : frame.held;
  }
}
