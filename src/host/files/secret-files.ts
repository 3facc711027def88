import { compileGlob } from "../../base/index.ts";
import type { Rule } from "../../kernel/index.ts";

/** Names of files that hold secrets, or may, as globs over the last part of a path. */
const secretNames = [
  ".env*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "*.ppk",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "credentials",
  "credentials.json",
  "credentials.y*ml",
  "credentials.toml",
  "credentials.ini",
  "credentials.csv",
  ".git-credentials",
  "secrets.json",
  "secrets.y*ml",
  "secrets.toml",
  "service-account*.json",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".htpasswd",
  ".vault-token",
];

/** Folders whose every file counts. */
const secretFolders = [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".azure"];

/** Globs over relative paths: what a search of a folder leaves out. Named by itself, such a file is searched. */
export const secretGlobs: readonly string[] = [
  ...secretNames.map((name) => `**/${name}`),
  ...secretFolders.map((name) => `**/${name}/**`),
];

const secretEntries = [...secretNames, ...secretFolders].map((name) => compileGlob(name));

/** Whether a file or folder of this name holds secrets, or may. */
export function isSecretName(name: string): boolean {
  return secretEntries.some((matches) => matches(name));
}

/**
 * Ask before a file that may hold secrets is read, changed or deleted, also inside the workspace. Put them
 * beside {@link defaultRules}; a rule of the user's own cannot allow what these ask, only an
 * answer to exactly the call can, and none lasts beyond a session.
 */
export const secretFileRules: readonly Rule[] = [
  ...secretGlobs,
  ...secretFolders.map((name) => `**/${name}`),
].flatMap((target): Rule[] => {
  const rule = {
    decision: "ask",
    target,
    reason: "the file may hold secrets",
    remember: "session",
    exact: true,
  } as const;
  return [
    { ...rule, effect: "read" },
    { ...rule, effect: "write" },
    { ...rule, effect: "delete" },
  ];
});
