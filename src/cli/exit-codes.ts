/** What the process leaves with, and what each number means. `docs/reference/exit-codes.md` is this table. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  timeout: 5,
  busy: 6,
  asks: 7,
  internal: 70,
  config: 78,
  cancelled: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** One line each, for help and documentation. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "done",
  failed: "the tool failed, or a check found something wrong",
  usage: "what was typed is not right: an option, an argument, arguments that do not fit the tool",
  notFound: "there is no such command, tool or call",
  refused: "a rule, a hook or a person said no, or there was nobody to ask",
  timeout: "stopped at its deadline",
  busy: "too much is going on, or the port is taken; try again",
  asks: "`haft policy explain`: a person would be asked first",
  internal: "a fault of haft itself; --verbose shows where",
  config: "the configuration or haft's home folder can't be used",
  cancelled: "stopped by Ctrl-C",
};

/** The error codes that mean something other than `failed`. */
const exitOf: Readonly<Record<string, ExitCode>> = {
  TOOL_NOT_FOUND: exitCodes.notFound,
  TOOL_NOT_CALLABLE: exitCodes.refused,
  TOOL_VALIDATION: exitCodes.usage,
  TOOL_BLOCKED: exitCodes.refused,
  TOOL_PERMISSION: exitCodes.refused,
  TOOL_BUSY: exitCodes.busy,
  TOOL_TIMEOUT: exitCodes.timeout,
  TOOL_CANCELLED: exitCodes.cancelled,
  ARTIFACT_NOT_FOUND: exitCodes.notFound,
  CLI_USAGE: exitCodes.usage,
  CLI_COMMAND_UNKNOWN: exitCodes.notFound,
  CLI_ARGUMENT: exitCodes.usage,
  CLI_INPUT: exitCodes.usage,
  CLI_NOT_FOUND: exitCodes.notFound,
  CLI_FILE_EXISTS: exitCodes.usage,
  CLI_UNCONFIRMED: exitCodes.refused,
  CLI_CANCELLED: exitCodes.cancelled,
  CONFIG_SYNTAX: exitCodes.config,
  CONFIG_INVALID: exitCodes.config,
  CONFIG_VARIABLE: exitCodes.config,
  CONFIG_CHANGED: exitCodes.busy,
  HOME_UNUSABLE: exitCodes.config,
  PATH_OUTSIDE: exitCodes.refused,
  PATH_PROTECTED: exitCodes.refused,
  CONNECT_DENIED: exitCodes.refused,
  CONNECT_BLOCKED: exitCodes.refused,
  LISTEN_BUSY: exitCodes.busy,
  BRIDGE_NOT_CONNECTED: exitCodes.notFound,
  BRIDGE_BUSY: exitCodes.busy,
  APPROVAL_NOT_FOUND: exitCodes.notFound,
  APPROVAL_EXPIRED: exitCodes.refused,
  APPROVAL_ANSWERED: exitCodes.refused,
  APPROVAL_NOT_YOURS: exitCodes.refused,
  APPROVAL_NOT_OFFERED: exitCodes.usage,
  APPROVAL_FULL: exitCodes.busy,
  SECRET_NAME: exitCodes.usage,
  SECRET_VALUE: exitCodes.usage,
  SECRET_NOT_FOUND: exitCodes.notFound,
  MEMORY_NOT_FOUND: exitCodes.notFound,
  MEMORY_DENIED: exitCodes.refused,
  MEMORY_CONSENT: exitCodes.refused,
  MEMORY_NOT_OWNER: exitCodes.refused,
  MEMORY_CHANGED: exitCodes.busy,
  MEMORY_LABEL: exitCodes.usage,
  MEMORY_LABEL_TAKEN: exitCodes.usage,
  MEMORY_TOO_LONG: exitCodes.usage,
  MEMORY_INVALID: exitCodes.usage,
  MEMORY_IMPORT: exitCodes.usage,
  COMMAND_VALUE: exitCodes.usage,
  COMMAND_VARIABLE: exitCodes.config,
};

/** The exit code for an error code of any folder; an unknown one means that the work failed. */
export function exitCodeOf(code: string): ExitCode {
  return Object.hasOwn(exitOf, code) ? (exitOf[code] as ExitCode) : exitCodes.failed;
}
