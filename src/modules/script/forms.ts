import { stripTypes } from "../../host/index.ts";

/** A text that the engine may take as the program. */
export interface ProgramForm {
  readonly text: string;
  /** Lines of it that stand before the program's own. */
  readonly linesBefore: number;
}

/** The program as it stands: the last expression is the result. */
export function asScript(code: string): ProgramForm {
  return { text: code, linesBefore: 0 };
}

/** The program as the body of a function, where `return` gives the result. */
export function asFunctionBody(code: string): ProgramForm {
  return { text: `(async () => {\n${code}\n})()`, linesBefore: 1 };
}

/** Without its types, each place where it was; undefined where it is no TypeScript either. */
export function withoutTypes(form: ProgramForm): ProgramForm | undefined {
  try {
    const text = stripTypes(form.text);
    return text === form.text ? undefined : { ...form, text };
  } catch {
    return undefined;
  }
}
