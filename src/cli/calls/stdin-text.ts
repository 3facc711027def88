import { CliError } from "../errors.ts";

/** More than this as the arguments of one call is a mistake: a file belongs in a file. */
const maxBytes = 64 * 1024 * 1024;

/**
 * All of standard input, as text.
 *
 * @throws {CliError} CLI_INPUT where it is larger than 64 MiB or not UTF-8.
 */
export async function readAll(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => (input as NodeJS.ReadStream).destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of input) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxBytes) {
        throw new CliError(
          "CLI_INPUT",
          "Cannot read the arguments: standard input is larger than 64 MiB; put the data into a file and give its path",
        );
      }
      chunks.push(bytes);
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new CliError(
      "CLI_INPUT",
      "Cannot read the arguments: standard input is not UTF-8; convert it first",
      { cause },
    );
  }
}
