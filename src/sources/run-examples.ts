import { cutHead } from "../base/index.ts";
import type { ToolFailure, ToolResult } from "../kernel/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { Example, Expectation } from "./examples.ts";

/** What became of one example of a tool. */
export interface ExampleResult {
  readonly tool: string;
  readonly example: string;
  /** The file that holds the example, and the line in it. */
  readonly where: string;
  readonly line?: number;
  readonly passed: boolean;
  /** What came instead of what was expected; absent where it passed. */
  readonly fault?: string;
}

/** A tool of a file, with the examples of it that the file holds. */
export interface ExampledTool {
  /** The name that it is called by. */
  readonly name: string;
  readonly where: string;
  readonly examples: readonly Example[];
}

/**
 * Makes the call of each example, one after the other, and compares what comes of it with what the example expects.
 *
 * @example
 * ```ts
 * const text = `---
 * id: count
 * name: Count
 * description: Count words.
 * command: wc -w notes.txt
 * examples:
 *   - name: two words
 *     expect: { contains: "2" }
 * ---
 * `;
 * const { tool } = readMarkdownTool({ path: "count.md", text });
 * const call = async (name: string) => ({ success: true, toolName: name, text: "2" }) as ToolResult;
 * const results = await runExamples({ name: "count", where: "count.md", examples: tool?.examples ?? [] }, call);
 * results.map(({ passed }) => passed); // → [true]
 * ```
 */
export async function runExamples(
  { name: tool, where, examples }: ExampledTool,
  call: (name: string, input: unknown) => Promise<ToolResult>,
): Promise<readonly ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const { name, input, expect, line } of examples) {
    const fault = findFault(expect, await call(tool, input));
    results.push({
      tool,
      example: name,
      where,
      line,
      passed: fault === undefined,
      ...(fault !== undefined && { fault }),
    });
  }
  return results;
}

function findFault(expect: Expectation, result: ToolResult): string | undefined {
  const shown = cutHead(
    result.success ? result.text : `${result.error} [${result.code}]${placeIn(result)}`,
    2000,
  );
  const mayFail = expect.code !== undefined || (expect.exitCode !== undefined && expect.exitCode !== 0);
  if (!result.success && !mayFail) return `it failed: ${shown}`;
  if (result.success && mayFail) return `it should have failed, and gave ${shown}`;
  if (expect.code !== undefined && !result.success && result.code !== expect.code)
    return `it should have failed with ${expect.code}: ${shown}`;
  if (expect.exitCode !== undefined && getExitCode(result) !== expect.exitCode)
    return `the exit code should be ${expect.exitCode}: ${shown}`;
  const text = result.text;
  if (expect.output !== undefined && text.trimEnd() !== expect.output.trimEnd())
    return `the output should be ${JSON.stringify(cutHead(expect.output, 500))}, and is ${JSON.stringify(cutHead(text, 2000))}`;
  const missing = expect.contains.find((piece) => !text.includes(piece));
  if (missing !== undefined) return `the output should contain ${JSON.stringify(missing)}: ${shown}`;
  if (expect.matches !== undefined && !matches(expect.matches, text))
    return `the output should match ${expect.matches}: ${shown}`;
  return undefined;
}

/** The file and line of an extension that threw. */
function placeIn({ details }: ToolFailure): string {
  const place = details?.["place"];
  return typeof place === "string" ? ` at ${place}` : "";
}

/** What fails in another way than by its exit code has none. */
function getExitCode(result: ToolResult): unknown {
  return result.success ? 0 : result.details?.["exitCode"];
}

function matches(pattern: string, text: string): boolean {
  const checked = compileJsonSchema({ type: "string", pattern })(text);
  return !("then" in checked) && checked.valid;
}
