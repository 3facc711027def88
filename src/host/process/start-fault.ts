import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import { HostError, type HostErrorCode } from "../errors.ts";

const faults: Readonly<Record<string, { readonly code: HostErrorCode; readonly state: string }>> = {
  ENOENT: {
    code: "PROCESS_NOT_FOUND",
    state: "no such program on the PATH; install it, or give its full path",
  },
  EACCES: {
    code: "PROCESS_NOT_EXECUTABLE",
    state: "it may not be executed; check its permissions",
  },
  E2BIG: {
    code: "PROCESS_ARGUMENTS",
    state: "its arguments and environment are too large; pass the data in a file",
  },
  ERR_INVALID_ARG_VALUE: {
    code: "PROCESS_ARGUMENTS",
    state: "an argument contains a null character; leave it out",
  },
};

/** The same of a path: the PATH has nothing to do with it. */
const noSuchFile =
  "no such file; check the path: a relative one begins at the folder that the program starts in";

export interface StartedProgram {
  readonly file: string;
  /** The `PATH` that it was looked for on, for a program that is named alone. */
  readonly path?: string | undefined;
}

/** Why a program can't be started, by the code that starting it fails with. */
export function startFault(
  { file, path }: StartedProgram,
  code: string | undefined,
  cause?: unknown,
): HostError {
  const fault = faults[code === "EACCES" && isNowhere(file, path) ? "ENOENT" : (code ?? "")];
  const state =
    fault === faults["ENOENT"] && file.includes("/")
      ? noSuchFile
      : (fault?.state ?? `${getErrorMessage(cause)}; see the cause`);
  return new HostError(fault?.code ?? "PROCESS_NOT_STARTED", `Cannot start "${file}": ${state}`, { cause });
}

/** The system says EACCES of a missing program too, if the PATH holds a folder that this user can't look into. */
function isNowhere(file: string, path: string | undefined): boolean {
  if (path === undefined || file.includes("/")) return false;
  return !path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, file)));
}
