import { hash } from "node:crypto";
import { canonicalJson, isRecord } from "../../../base/index.ts";
import type { CallKey, EffectPattern } from "../../../kernel/index.ts";

/**
 * SHA-256 (hex) of everything that makes a call this call and no other. Undefined where the arguments are not plain
 * JSON: a Map or a class instance reads as `{}` in JSON, so two of them with different contents would pass for the
 * same.
 */
export function digestOfCall(key: CallKey): string | undefined {
  if (!isPlainJson(key.params)) return undefined;
  // A yes to what runs in a sandbox is none to the same without.
  const done = key.effects.map(({ kind, target, within, confined, opaque, isolation, code }) => [
    kind,
    target,
    within,
    confined ?? false,
    opaque ?? false,
    isolation ?? null,
    ...(code === undefined ? [] : [code]),
  ]);
  return digestParts(["haft call 2", ...listCaller(key), key.params, done, ...listPlace(key)]);
}

/**
 * SHA-256 (hex) of a call and its caller, for a yes to one call: what one session was allowed once is nothing
 * to another. Undefined as in {@link digestOfCall}.
 */
export function digestOfAskedCall(key: CallKey): string | undefined {
  const call = digestOfCall(key);
  const { principal = null, session = null } = key.caller ?? {};
  return call === undefined || (principal === null && session === null)
    ? call
    : digestParts(["haft asked call 1", call, principal, session]);
}

/** The digest by which haft remembered exact calls before version 6 of the store. Their arguments were not kept, so it can't be renewed. */
export function formerDigestOfCall(key: CallKey): string | undefined {
  if (!isPlainJson(key.params)) return undefined;
  const done = key.effects.map(({ kind, target }) => [kind, target]);
  return digestParts([...listCaller(key), key.params, done]);
}

/** The digest of a grant by patterns. `bounds`: as {@link digestOfBounds} gives it, or null. */
export function digestOfPatterns(
  key: CallKey,
  patterns: readonly EffectPattern[],
  bounds: string | null,
): string {
  const covered = patterns.map(({ kind, target, reach, confined }) => [
    kind,
    target,
    reach,
    confined ?? false,
  ]);
  return digestParts(["haft patterns 1", ...listCaller(key), covered, bounds]);
}

/** Digest of the folders that a call may work in and the one it starts in, as they change what a command does. */
export function digestOfBounds(key: Pick<CallKey, "allowedPaths" | "workingFolder">): string {
  return digestParts(["haft bounds 1", ...listPlace(key)]);
}

/** Returns the folders of a call. The working folder is absent if it is the first of them, so older digests stay valid. */
function listPlace({
  allowedPaths,
  workingFolder,
}: Pick<CallKey, "allowedPaths" | "workingFolder">): readonly unknown[] {
  return workingFolder === undefined ? [allowedPaths] : [allowedPaths, workingFolder];
}

/** Returns the caller's part of a digest; without a user it equals the digests made before there were users. */
function listCaller({ scope, agentId, userId, toolName, toolVersion }: CallKey): unknown[] {
  const caller = [scope, agentId ?? null, toolName, toolVersion];
  return userId === undefined ? caller : [...caller, { userId }];
}

function digestParts(parts: readonly unknown[]): string {
  return hash("sha256", canonicalJson(parts));
}

/** Deeper values are taken for a cycle. */
const maxDepth = 200;

function isPlainJson(value: unknown, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((part) => isPlainJson(part, depth + 1));
  if (!isRecord(value) || "toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((part) => part === undefined || isPlainJson(part, depth + 1));
}
