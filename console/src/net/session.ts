import { signal } from "@preact/signals";

/** Whether the tab may ask the server. `over`: it has to be opened again. */
export type SessionState = "opening" | "open" | "over" | "none";

const storageKey = "haft-session";

export const session: { readonly value: SessionState } = signal<SessionState>("opening");
const state = session as { value: SessionState };

let token: string | undefined;

/**
 * Takes the one-time code out of the address, before anything else can see it. The fragment of an address is sent to
 * nobody.
 */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code === "") return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Exchanges the code for a token, or goes on with the token that this tab has. */
export async function openSession(code: string | undefined): Promise<void> {
  if (code === undefined) {
    token = sessionStorage.getItem(storageKey) ?? undefined;
    state.value = token === undefined ? "none" : "open";
    return;
  }
  state.value = "opening";
  const response = await fetch("/console/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
    cache: "no-store",
  }).catch(() => undefined);
  const answer: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const given = typeof answer === "object" && answer !== null && "token" in answer ? answer.token : undefined;
  if (typeof given !== "string") return endSession();
  token = given;
  sessionStorage.setItem(storageKey, given);
  state.value = "open";
}

/** The token was refused, or its time is over. */
export function endSession(): void {
  token = undefined;
  sessionStorage.removeItem(storageKey);
  state.value = "over";
}

/** The header that lets a request in. */
export function authorize(): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
