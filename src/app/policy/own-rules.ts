import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/index.ts";
import { readVariable } from "../../host/index.ts";
import { parseConfig } from "../config/config.ts";
import { replaceConfig } from "../config/edit-config.ts";
import { readPermissionsText, withPermissions } from "../config/edit-permissions.ts";
import type { App } from "../create-app.ts";
import { readIfThere } from "../home.ts";
import { judgeByFiles, type ShadowReport } from "./shadow-calls.ts";

/** The rules of the user's own file, as an editor shows them. */
export interface OwnRules {
  readonly file: string;
  /** YAML of the rules, with their comments. */
  readonly text: string;
  /** SHA-256 of the whole file: an edit names the one it was made for. */
  readonly digest: string;
  /** Whether the file has other rules than those in force, which are those of the start. */
  readonly isPending: boolean;
}

export async function readOwnRules({ home, loaded }: Pick<App, "home" | "loaded">): Promise<OwnRules> {
  const file = home.config;
  const written = readIfThere(file) ?? "";
  const { permissions = [] } = await parseConfig(written, file, readVariable);
  return {
    file,
    text: await readPermissionsText(written, file),
    digest: toDigest(written),
    isPending: canonicalJson(permissions) !== canonicalJson(loaded.own.permissions ?? []),
  };
}

/**
 * Says which of the newest calls would be decided otherwise by other rules. Nothing runs and nothing is written.
 *
 * @throws {ConfigError} for rules that can't be used.
 */
export async function tryOwnRules(
  app: App,
  text: string,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ShadowReport> {
  const file = app.home.config;
  const next = await withPermissions(readIfThere(file) ?? "", text, file);
  const own = await parseConfig(next, file, readVariable);
  const { ledger } = await app.store();
  return judgeByFiles(app, { own, project: app.loaded.project }, { ledger, query: {}, signal, most });
}

/**
 * Writes other rules into the user's own file; comments and all else stay. They are in force from the next start.
 *
 * @param digest the file that the rules were edited in
 * @returns undefined if the file was changed meanwhile
 * @throws {ConfigError} for rules that can't be used; CONFIG_CHANGED
 */
export async function saveOwnRules(
  app: Pick<App, "home" | "loaded">,
  text: string,
  digest: string,
): Promise<OwnRules | undefined> {
  const file = app.home.config;
  const before = readIfThere(file);
  if (toDigest(before ?? "") !== digest) return undefined;
  const next = await withPermissions(before ?? "", text, file);
  await parseConfig(next, file, readVariable);
  replaceConfig(file, before, next);
  return readOwnRules(app);
}

function toDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
