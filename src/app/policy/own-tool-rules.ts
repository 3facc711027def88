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
 * later commands, unless it came from outside or says where those connect, the reading of accepted extensions anew, and
 * work given to other agents.
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
  // A task can do no more than its parent's calls could: each call of it is decided by itself, with the worse trust of both.
  { decision: "allow", tool: "spawn_task", origin: "haft" },
  { decision: "allow", tool: "resume_task", origin: "haft" },
  { decision: "allow", tool: "task_stop", origin: "haft" },
];
