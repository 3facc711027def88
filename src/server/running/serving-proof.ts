import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Serving } from "./serving-identity.ts";

/*
 * Whoever listens where a `haft serve` is expected may be another user's program, so the token is never sent there. Both
 * sides prove that they know it instead, each for one question at one port, so that no proof is good for anything else.
 */

/** The header in which a question to a `haft serve` proves that its sender knows the token. */
export const proofHeader = "haft-proof";

export interface Question {
  readonly nonce: string;
  readonly header: string;
}

/** A new question to whoever listens at a port, with the proof of who asks. */
export function askWithProof(token: string, port: string): Question {
  const nonce = randomBytes(32).toString("hex");
  return { nonce, header: `${nonce} ${computeProof(token, ["asks", port, nonce])}` };
}

/** The nonce of a question that was asked by somebody who knows the token; undefined for any other. */
export function readQuestion(token: string, port: string, header: unknown): string | undefined {
  const [, nonce, proof] = /^([0-9a-f]{64}) ([0-9a-f]{64})$/.exec(String(header)) ?? [];
  if (nonce === undefined || proof === undefined) return undefined;
  return isSame(proof, computeProof(token, ["asks", port, nonce])) ? nonce : undefined;
}

/** The proof that an answer to a question is by somebody who knows the token. */
export function answerProof(token: string, nonce: string, { pid, url, folder, startedAt }: Serving): string {
  return computeProof(token, ["answers", readPort(url), nonce, pid, url, folder, startedAt]);
}

export function provesAnswer(token: string, nonce: string, serving: Serving, proof: unknown): boolean {
  return typeof proof === "string" && isSame(proof, answerProof(token, nonce, serving));
}

/** The port of an address, also where it is the scheme's own. */
export function readPort(url: string): string {
  return new URL(url).port || "80";
}

function computeProof(token: string, facts: readonly (string | number)[]): string {
  return createHmac("sha256", token)
    .update(JSON.stringify(["haft serve", ...facts]))
    .digest("hex");
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
