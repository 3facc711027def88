import type { McpServerConfig } from "../config.ts";

const signs: readonly { readonly said: RegExp; readonly hint: (name: string) => string }[] = [
  {
    said: /cannot find module|\bMODULE_NOT_FOUND\b|\bENOENT\b|no such file|can't open file/i,
    hint: (name) =>
      `of your files outside the project, the process of "${name}" sees only what its \`reads\` and \`paths\` name; add the folder to \`reads\`, if it should`,
  },
  {
    said: /\bEROFS\b|read-only file system|\bEACCES\b|permission denied/i,
    hint: (name) =>
      `haft lets the process of "${name}" change only what its \`paths\` name; add the folder there, if it should`,
  },
  {
    said: /\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|getaddrinfo|could not resolve|network is unreachable|fetch failed/i,
    hint: (name) =>
      `haft lets the process of "${name}" reach only what its \`hosts\` name; add the host there, if it should`,
  },
];

/** What of a server's complaint its walls seem to have caused; undefined for one without. */
export function sandboxHint({ name, url, unconfined }: McpServerConfig, said: string): string | undefined {
  if (url !== undefined || unconfined === true) return undefined;
  return signs.find((sign) => sign.said.test(said))?.hint(name);
}
