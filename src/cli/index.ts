export { CliError, type CliErrorCode, cliErrorCodes } from "./errors.ts";
export { type ExitCode, exitCodeMeanings, exitCodes, toExitCode } from "./exit-codes.ts";
export { type CommandLineOptions, runCommandLine } from "./run.ts";
export type { OutputStream, Streams } from "./terminal.ts";
