import { CommandFault, type Tag } from "./tag.ts";

/** The scanner's surroundings in a line of bash. In the first three a quoted word may stand. */
type Place =
  | "line"
  | "substitution"
  | "subshell"
  | "comment"
  | "single"
  | "double"
  | "ansi"
  | "arithmetic"
  | "parenthesis"
  | "expansion"
  | "backtick"
  | "test";

const open: ReadonlySet<Place> = new Set(["line", "substitution", "subshell"]);

/** What a tag can't stand in, as it is told. */
const names: Readonly<Partial<Record<Place, string>>> = {
  comment: "a comment",
  single: "quotes",
  double: "quotes",
  ansi: "quotes",
  arithmetic: "a calculation",
  parenthesis: "a calculation",
  expansion: "${…}",
  backtick: "`…`; write $(…)",
  test: "[[ … ]]; write [ … ]",
};

/**
 * Follows the quoting of bash through a line, as far as is needed to know that a tag stands where a quoted word may.
 * What it can't follow for certain it refuses, if the line has a tag at all.
 */
export class ShellScanner {
  readonly #text: string;
  readonly #stack: Place[] = ["line"];
  /** The stack's height at each `{{#if}}` that is open. */
  readonly #choices: number[] = [];
  /** What can't be followed, with its place; told of at the first tag, or never. */
  #doubt: CommandFault | undefined;
  #hasTag = false;
  #wordStart = 0;
  #closedAt = -1;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get #place(): Place {
    return this.#stack.at(-1) as Place;
  }

  /** Goes over one character, or over those that mean something together. */
  step(): void {
    const char = this.#text[this.at] as string;
    if (this.at === this.#closedAt && !/[\s;|&)]/.test(char)) throw this.#fault(glued);
    const place = this.#place;
    switch (place) {
      case "line":
      case "substitution":
      case "subshell":
        this.#stepOpen(char);
        return;
      case "comment":
        if (char === "\n") this.#pop();
        this.at++;
        if (char === "\n") this.#wordStart = this.at;
        return;
      case "single":
        this.#skip(1, char === "'");
        return;
      case "ansi":
        if (char === "\\") this.at += 2;
        else this.#skip(1, char === "'");
        return;
      case "double":
        this.#stepDouble(char);
        return;
      case "backtick":
        if (char === "\\") this.at += 2;
        else this.#skip(1, char === "`");
        return;
      case "expansion":
        if ("'\"`\\$".includes(char)) this.#doubtful("the quotes within ${…}");
        this.#skip(1, char === "}");
        return;
      case "arithmetic":
        this.#stepArithmetic(char);
        return;
      case "parenthesis":
        if (char === "(") this.#push("parenthesis", 1);
        else this.#skip(1, char === ")");
        return;
      case "test":
        this.#stepTest(char);
        return;
      default:
        place satisfies never;
    }
  }

  /** @throws {CommandFault} where a tag may not stand. */
  enterTag(tag: Tag): void {
    this.#hasTag = true;
    if (this.#doubt !== undefined) throw this.#doubt;
    const what = names[this.#place];
    if (what !== undefined)
      throw this.#fault(`{{…}} stands within ${what}; put it outside: every value is quoted anyway`);
    const before = this.#text[this.at - 1] ?? " ";
    if (before === "\\" || before === "$" || (before === "{" && tag.kind === "value"))
      throw this.#fault(`"${before}" before {{…}} would change how its value is read; take it away`);
    if (this.#text.slice(this.#wordStart, this.at).includes("["))
      throw this.#fault("{{…}} stands within [ ], where a value is calculated; put a blank before it");
    if (this.at === this.#closedAt && tag.kind !== "else" && tag.kind !== "end") throw this.#fault(glued);
    if (
      tag.kind === "if" &&
      !/[\s;|&(]/.test(before) &&
      !/\{\{\s*(?:#if\s[^}]*|else)\s*\}\}$/.test(this.#text.slice(0, this.at))
    )
      throw this.#fault(glued);
    if (tag.kind === "if") this.#choices.push(this.#stack.length);
    else if (tag.kind !== "value" && this.#choices.at(-1) !== this.#stack.length)
      throw this.#fault("{{#if}}…{{/if}} holds a part of a quote or of brackets; let it hold whole words");
    this.at = tag.end;
    if (tag.kind === "value") return;
    if (tag.kind === "end") {
      this.#choices.pop();
      this.#closedAt = tag.end;
    }
    this.#wordStart = this.at;
    if (this.#text[this.at] === "#")
      throw this.#fault('"#" right after {{…}} may begin a comment; put it in quotes');
  }

  /** @throws {CommandFault} for what was opened and not closed. */
  end(): void {
    if (this.#place === "comment") this.#stack.pop();
    if (this.#hasTag && this.#doubt !== undefined) throw this.#doubt;
    if (this.#stack.length > 1) throw this.#fault("a quote or a bracket is not closed; close it");
  }

  #stepOpen(char: string): void {
    const rest = this.#text.slice(this.at, this.at + 8);
    const beginsWord = this.at === this.#wordStart;
    if (char === "\\") {
      this.at += 2;
      // A line that goes on: what comes next stands where this stood.
      if (beginsWord && rest[1] === "\n") this.#wordStart = this.at;
    } else if (char === "'") this.#push("single", 1);
    else if (char === '"') this.#push("double", 1);
    else if (char === "`") this.#push("backtick", 1);
    else if (char === "$") this.#stepDollar(rest);
    else if (char === "#" && beginsWord) this.#push("comment", 1);
    else if (rest.startsWith("((") && beginsWord) this.#push("arithmetic", 2);
    else if (/^\[\[\s/.test(rest) && beginsWord) this.#push("test", 2);
    else if (rest.startsWith("<<<")) this.at += 3;
    else if (rest.startsWith("<<")) {
      this.#doubtful("a here-document (<<)");
      this.at += 2;
    } else if (/^[<>]\(/.test(rest)) this.#push("substitution", 2);
    else if (char === "(") this.#push("subshell", 1);
    else if (char === ")") this.#closeBracket();
    else this.#stepPlain(char, { rest, beginsWord });
    if (/[\s;&|()<>]/.test(char)) this.#wordStart = this.at;
  }

  #stepPlain(
    char: string,
    { rest, beginsWord }: { readonly rest: string; readonly beginsWord: boolean },
  ): void {
    // Its patterns end in brackets that nothing opened.
    if (char === "c" && beginsWord && /^case\s/.test(rest) && this.#stack.length > 1)
      this.#doubtful("`case` within brackets");
    this.at++;
  }

  /** At the line's own level one may end a pattern of `case`. */
  #closeBracket(): void {
    if (this.#place !== "line") this.#pop();
    this.at++;
  }

  #stepDollar(rest: string): void {
    if (rest.startsWith("${{"))
      throw this.#fault('"$" before {{…}} would change how its value is read; take it away');
    if (rest.startsWith("$((")) this.#push("arithmetic", 3);
    else if (rest.startsWith("$(")) {
      this.#push("substitution", 2);
      this.#wordStart = this.at;
    } else if (rest.startsWith("${")) this.#push("expansion", 2);
    else if (rest.startsWith("$[")) this.#doubtful("$[…]; write $((…))");
    else if (rest.startsWith("$'") && this.#place !== "double") this.#push("ansi", 2);
    else this.at++;
    if (rest.startsWith("$[")) this.at++;
  }

  #stepDouble(char: string): void {
    if (char === "\\") this.at += 2;
    else if (char === "$") this.#stepDollar(this.#text.slice(this.at, this.at + 8));
    else if (char === "`") this.#push("backtick", 1);
    else this.#skip(1, char === '"');
  }

  #stepArithmetic(char: string): void {
    if ("'\"`$\\".includes(char) && !/^\$\w/.test(this.#text.slice(this.at, this.at + 2)))
      this.#doubtful("the quotes within a calculation");
    if (char === "(") this.#push("parenthesis", 1);
    else if (char === ")") this.#skip(2, true);
    else this.at++;
  }

  #stepTest(char: string): void {
    const rest = this.#text.slice(this.at, this.at + 3);
    if (char === "\\") this.at += 2;
    else if (char === "'") this.#push("single", 1);
    else if (char === '"') this.#push("double", 1);
    else if (char === "`") this.#push("backtick", 1);
    else if (char === "$") this.#stepDollar(this.#text.slice(this.at, this.at + 8));
    else if (rest.startsWith("]]")) this.#skip(2, true);
    else this.at++;
  }

  #push(place: Place, length: number): void {
    this.#stack.push(place);
    this.at += length;
    if (open.has(place)) this.#wordStart = this.at;
  }

  #pop(): void {
    this.#stack.pop();
  }

  #skip(length: number, closes: boolean): void {
    if (closes) this.#pop();
    this.at += length;
  }

  #doubtful(what: string): void {
    this.#doubt ??= this.#fault(
      `a command with {{…}} may not hold ${what}: where a value stands could not be told; put it into a script`,
    );
    if (this.#hasTag) throw this.#doubt;
  }

  #fault(why: string): CommandFault {
    return new CommandFault("COMMAND_SYNTAX", why, this.at);
  }
}

const glued = "{{#if}}…{{/if}} holds whole words: put a blank before it and after it";
