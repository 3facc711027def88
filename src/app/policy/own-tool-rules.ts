import type { Rule } from "../../kernel/index.ts";

/** Variables that determine which hosts programs connect to or which certificates they trust. */
const connecting = [
  "*PROXY*",

  "*HOST*",
  "*URL*",
  "*ENDPOINT*",
  "*SSL*",
  "*TLS*",
  "*_CA_*",
  "DOCKER_*",
  "KUBECONFIG",
  "AWS_*",
];

/**
 * Tools of ours that change nothing outside this program and need no question at every call: a variable for an agent's own
 * later commands, unless it came from outside or says where those connect, and the reading of accepted extensions anew.
 */
export const ownToolRules: readonly Rule[] = [
  { decision: "allow", tool: "set_env", origin: "haft", trust: "trusted" },
  ...connecting.map(
    (key): Rule => ({
      decision: "ask",
      tool: "set_env",
      origin: "haft",
      arguments: { key },
      reason: "it can decide whom later commands connect to",
    }),
  ),
  { decision: "allow", tool: "extension_reload", origin: "haft" },
];
