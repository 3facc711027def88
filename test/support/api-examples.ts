import { parseSync } from "rolldown/utils";

/** What an example's comments say comes of its lines: `expression // → value`. */
const promise = / → (.*)$/;

/**
 * Makes a program of an example: each line with a comment `// → value` compares, by `same`, what it gives with the
 * value. Lines stay where they are.
 */
export function toProgram(code: string): { readonly program: string; readonly promises: number } {
  const { program, comments, errors } = parseSync("example.ts", code);
  if (errors[0] !== undefined) throw new Error(`${errors[0].message}:\n${code}`);
  const statements = [...eachStatement(program)];
  const promised = comments.flatMap((comment) => {
    const value = promise.exec(comment.value)?.[1];
    if (comment.type !== "Line" || value === undefined) return [];
    const statement = statements.findLast(
      ({ end }) => end <= comment.start && code.slice(end, comment.start).trim() === "",
    );
    if (statement === undefined) throw new Error(`No statement before // → ${value}`);
    return [{ statement, value }];
  });
  let written = code;
  for (const { statement, value } of promised.toReversed()) {
    const { start, end } = statement;
    const text = code.slice(start, end);
    const compared =
      statement.name === undefined
        ? `await same(${text.replace(/;$/, "")}, ${value});`
        : `${text}${text.endsWith(";") ? "" : ";"} await same(${statement.name}, ${value});`;
    written = written.slice(0, start) + compared + written.slice(end);
  }
  return { program: `${written}\nexport {};\n`, promises: promised.length };
}

interface Statement {
  readonly start: number;
  readonly end: number;
  /** The variable that it declares. */
  readonly name?: string;
}

function* eachStatement(node: unknown): Generator<Statement> {
  if (Array.isArray(node)) for (const one of node) yield* eachStatement(one);
  if (typeof node !== "object" || node === null) return;
  const { type, start, end } = node as { type?: unknown; start: number; end: number };
  for (const value of Object.values(node)) yield* eachStatement(value);
  if (type === "ExpressionStatement") yield { start, end };
  if (type === "VariableDeclaration") {
    const id = (node as { declarations: [{ id: { name?: string } }] }).declarations[0].id;
    yield { start, end, name: id.name ?? "undefined" };
  }
}
