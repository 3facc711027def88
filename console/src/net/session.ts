import { signal } from "@preact/signals";
import { isRecord } from "../../../src/base/index.ts";

/** State of the tab's session. `pin`: it needs the owner's PIN. `over`: it has ended. `none`: the tab was opened without a link. */
export type SessionState = "opening" | "pin" | "open" | "over" | "none";

const storageKey = "haft-session";

export const session: { readonly value: SessionState } = signal<SessionState>("opening");
const state = session as { value: SessionState };

/** The reason why the PIN was refused; empty before one was given. */
export const pinFault: { readonly value: string } = signal("");

let token: string | undefined;
let waitingCode: string | undefined;

/**
 * Takes the one-time code out of the address before other code can read it. Browsers send the fragment of an address to
 * no server.
 */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code === "") return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/**
 * Exchanges the code for a token, or uses the token that this tab has.
 *
 * @param pin The owner's PIN, if the server asked for it.
 */
export async function openSession(code: string | undefined, pin?: string): Promise<void> {
  if (code === undefined) {
    token = sessionStorage.getItem(storageKey) ?? undefined;
    state.value = token === undefined ? "none" : "open";
    return;
  }
  if (pin === undefined) state.value = "opening";
  const response = await fetch("/console/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(pin === undefined ? { code } : { code, pin }),
    cache: "no-store",
  }).catch(() => undefined);
  const answer: unknown = await response?.json().catch(() => undefined);
  const fields: ReadonlyMap<string, unknown> = new Map(isRecord(answer) ? Object.entries(answer) : []);
  const given = fields.get("token");
  if (response?.ok && typeof given === "string") {
    token = given;
    waitingCode = undefined;
    sessionStorage.setItem(storageKey, given);
    state.value = "open";
  } else if (String(fields.get("code")).startsWith("PIN_")) {
    waitingCode = code;
    (pinFault as { value: string }).value = pin === undefined ? "" : String(fields.get("error"));
    state.value = "pin";
  } else endSession();
}

/** Sends the code again, with the owner's PIN. */
export function sendPin(pin: string): Promise<void> {
  return openSession(waitingCode, pin);
}

/** Forgets the token, which the server refused or which has expired. */
export function endSession(): void {
  token = undefined;
  sessionStorage.removeItem(storageKey);
  state.value = "over";
}

/** The `Authorization` header of the session. */
export function authorize(): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
