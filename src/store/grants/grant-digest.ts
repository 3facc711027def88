import { hash } from "node:crypto";
import { canonicalJson, isRecord } from "../../base/index.ts";
import type { GrantKey } from "../../kernel/index.ts";

/**
 * SHA-256 (hex) of everything a grant holds for. Undefined where the arguments are not plain JSON: a Map or a
 * class instance reads as `{}` in JSON, so two of them with different contents would pass for the same.
 */
export function digestOfKey({
  scope,
  agentId,
  toolName,
  toolVersion,
  params,
  effects,
}: GrantKey): string | undefined {
  if (!isPlainJson(params)) return undefined;
  // The same words mean another file in another folder.
  const done = effects.map(({ kind, target }) => [kind, target]);
  return hash("sha256", canonicalJson([scope, agentId ?? null, toolName, toolVersion, params, done]));
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
