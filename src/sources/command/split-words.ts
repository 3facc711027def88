import { ChoiceBuilder } from "./choices.ts";
import type { Choice, Slot, Word } from "./parts.ts";
import { CommandFault, readTag, type Tag } from "./tag.ts";

/**
 * Splits a command into its words once and for all, by bash's rules of quoting. Whatever else bash would make of the
 * text is refused: nothing is expanded, and no value is ever read for anything but a value.
 *
 * @throws {CommandFault}
 */
export function splitWords(text: string): readonly (Word | Choice<Word>)[] {
  return new Splitter(text).split();
}

class Splitter {
  readonly #text: string;
  readonly #built = new ChoiceBuilder<Word>();
  #at = 0;
  /** The position at which the last `{{/if}}` ended. */
  #closedAt = -1;
  /** The pieces of the word that is being read; undefined between words. */
  #pieces: (string | Slot)[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  split(): readonly (Word | Choice<Word>)[] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] as string);
    this.#endWord();
    return this.#built.end();
  }

  #step(char: string): void {
    if (/\s/.test(char)) {
      if (char === "\n" && this.#text.slice(this.#at).trim() !== "")
        throw this.#needsShell("a line break begins another command");
      this.#endWord();
      this.#at++;
      return;
    }
    const tag = readTag(this.#text, this.#at);
    const goesOn = tag?.kind === "else" || tag?.kind === "end";
    if (this.#at === this.#closedAt && !goesOn) throw this.#glued();
    if (tag !== undefined) this.#takeTag(tag);
    else if (char === "'") this.#readSingle();
    else if (char === '"') this.#readDouble();
    else if (char === "\\") this.#readEscape();
    else {
      this.#refuseShellSyntax(char);
      this.#append(char);
      this.#at++;
    }
  }

  #takeTag(tag: Tag): void {
    if (tag.kind === "value") {
      this.#append({ parameter: tag.name, offset: this.#at });
      this.#at = tag.end;
      return;
    }
    if (tag.kind === "if" && this.#pieces !== undefined) throw this.#glued();
    this.#endWord();
    this.#built.take(tag, this.#at);
    this.#at = tag.end;
    if (tag.kind === "end") this.#closedAt = tag.end;
  }

  #glued(): CommandFault {
    return new CommandFault(
      "COMMAND_SYNTAX",
      "{{#if}}…{{/if}} holds whole words: put a blank before it and after it",
      this.#at,
    );
  }

  #readSingle(): void {
    const start = this.#at++;
    this.#append("");
    while (this.#text[this.#at] !== "'") {
      if (this.#at >= this.#text.length) throw unclosed("'", start);
      if (!this.#readQuotedTag()) this.#append(this.#text[this.#at++] as string);
    }
    this.#at++;
  }

  #readDouble(): void {
    const start = this.#at++;
    this.#append("");
    while (this.#text[this.#at] !== '"') {
      const char = this.#text[this.#at];
      if (char === undefined) throw unclosed('"', start);
      const next = this.#text[this.#at + 1] ?? "";
      if (char === "\\" && this.#text.startsWith("{{", this.#at + 1)) this.#appendBraces();
      else if (char === "\\" && '"\\$`\n'.includes(next) && next !== "") {
        if (next !== "\n") this.#append(next);
        this.#at += 2;
      } else if (!this.#readQuotedTag()) {
        if (char === "`" || (char === "$" && /[A-Za-z0-9_({*@#?$!-]/.test(next)))
          this.#refuseShellSyntax(char);
        this.#append(char);
        this.#at++;
      }
    }
    this.#at++;
  }

  /** A value fills its place between quotes too; an `if` there would hold a part of a word. */
  #readQuotedTag(): boolean {
    const tag = readTag(this.#text, this.#at);
    if (tag === undefined) return false;
    if (tag.kind !== "value") {
      throw new CommandFault(
        "COMMAND_SYNTAX",
        "{{#if}}…{{/if}} holds whole words: put it outside the quotes",
        this.#at,
      );
    }
    this.#append({ parameter: tag.name, offset: this.#at });
    this.#at = tag.end;
    return true;
  }

  #readEscape(): void {
    if (this.#text.startsWith("{{", this.#at + 1)) {
      this.#appendBraces();
      return;
    }
    const next = this.#text[this.#at + 1];
    if (next === undefined)
      throw new CommandFault("COMMAND_SYNTAX", 'the last "\\" escapes nothing; take it away', this.#at);
    if (next !== "\n") this.#append(next);
    this.#at += 2;
  }

  /** `\{{` is two braces, as in Handlebars. */
  #appendBraces(): void {
    this.#append("{{");
    this.#at += 3;
  }

  #refuseShellSyntax(char: string): void {
    const why = shellSyntaxAt(this.#text, this.#at, this.#pieces === undefined, char);
    if (why !== undefined) throw this.#needsShell(why);
  }

  #needsShell(why: string): CommandFault {
    return new CommandFault(
      "COMMAND_NEEDS_SHELL",
      `${why}, and no shell reads this command; put it in quotes to mean the character, or say \`shell: true\``,
      this.#at,
    );
  }

  #append(piece: string | Slot): void {
    this.#pieces ??= [];
    const last = this.#pieces.at(-1);
    if (typeof piece === "string" && typeof last === "string")
      this.#pieces[this.#pieces.length - 1] = last + piece;
    else this.#pieces.push(piece);
  }

  #endWord(): void {
    if (this.#pieces === undefined) return;
    // An empty text at the side of a value adds nothing to it.
    const pieces = this.#pieces.filter((piece) => piece !== "");
    this.#built.add({ pieces: pieces.length === 0 ? [""] : pieces });
    this.#pieces = undefined;
  }
}

/** What bash would make of an unquoted character, in a phrase; undefined where it is only a character. */
function shellSyntaxAt(text: string, at: number, beginsWord: boolean, char: string): string | undefined {
  if ("|&;()<>".includes(char)) return `"${char}" is an operator of the shell`;
  if (char === "`" || char === "$") return `"${char}" is expanded by the shell`;
  if ("*?".includes(char) || (char === "[" && text.indexOf("]", at) > 0))
    return `"${char}" is a pattern for the names of files`;
  if (!beginsWord) return bracesAt(text, at, char);
  if (char === "~") return '"~" is the home folder to a shell';
  if (char === "#") return '"#" begins a comment of the shell';
  if (char === "!" && /^!(\s|$)/.test(text.slice(at))) return '"!" is a word of the shell';
  if (at === text.search(/\S/) && /^\w+=/.test(text.slice(at)))
    return "a variable before the program is set by the shell (`environment` sets it for the command)";
  return bracesAt(text, at, char);
}

function bracesAt(text: string, at: number, char: string): string | undefined {
  const isList = char === "{" && /^\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}/.test(text.slice(at));
  return isList ? "braces with a list are expanded by the shell" : undefined;
}

function unclosed(quote: string, at: number): CommandFault {
  return new CommandFault(
    "COMMAND_SYNTAX",
    `the quote ${quote} is not closed; close it, or write \\${quote}`,
    at,
  );
}
