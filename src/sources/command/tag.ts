import type { SourceErrorCode } from "../errors.ts";

/** Why a command can't be used, and where in its text. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: SourceErrorCode;
  readonly offset: number;

  constructor(code: SourceErrorCode, message: string, offset: number) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/** What stands between `{{` and `}}`. */
export interface Tag {
  readonly kind: "value" | "if" | "else" | "end";
  /** The parameter that a value or an `if` names. */
  readonly name: string;
  /** The position at which the text goes on. */
  readonly end: number;
}

const forms = /^\s*(?:(#if)\s+([A-Za-z][\w-]*)|(else)|(\/if)|([A-Za-z][\w-]*))\s*$/;

/**
 * The tag that begins here; undefined where none does. Of Handlebars there are `{{name}}` and
 * `{{#if name}}…{{else}}…{{/if}}`: a command is filled in, not computed.
 *
 * @throws {CommandFault}
 */
export function readTag(text: string, at: number): Tag | undefined {
  if (!text.startsWith("{{", at)) return undefined;
  const close = text.indexOf("}}", at + 2);
  if (close < 0) throw new CommandFault("COMMAND_SYNTAX", 'the "{{" has no "}}"; close it', at);
  const inner = text.slice(at + 2, close);
  const match = forms.exec(inner);
  if (match === null) {
    throw new CommandFault(
      "COMMAND_SYNTAX",
      `"${text.slice(at, close + 2)}" is not supported: a command knows {{name}} and {{#if name}}…{{else}}…{{/if}}`,
      at,
    );
  }
  const [, isIf, condition, isElse, isEnd, value] = match;
  const end = close + 2;
  if (isIf !== undefined) return { kind: "if", name: condition as string, end };
  if (isElse !== undefined) return { kind: "else", name: "", end };
  if (isEnd !== undefined) return { kind: "end", name: "", end };
  return { kind: "value", name: value as string, end };
}

/** Names of parameters that a tag would not take for one. */
export const reservedNames: readonly string[] = ["else", "if", "this"];
