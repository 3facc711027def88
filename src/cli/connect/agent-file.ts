/** Text of an agent file for Copilot CLI or VS Code, which gives that agent only haft's tools. */
export function renderAgentFile(client: string): string {
  return `---
name: haft
description: Works with haft's tools alone. Written by \`haft connect ${client}\`.
tools: ["haft/*"]
---

Read and change files, and run commands, with haft's tools.
`;
}
