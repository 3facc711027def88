/** What one check of `haft doctor` came to. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly detail: string;
  /** What to do; only where something is not as it should be. */
  readonly remedy?: string;
}

export function ok(name: string, detail: string): Finding {
  return { name, status: "ok", detail };
}

export function warning(name: string, detail: string, remedy: string): Finding {
  return { name, status: "warning", detail, remedy };
}

export function failed(name: string, detail: string, remedy: string): Finding {
  return { name, status: "failed", detail, remedy };
}
