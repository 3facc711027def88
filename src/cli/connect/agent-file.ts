/** An agent of Copilot CLI or VS Code that has haft's tools alone. */
export function renderAgentFile(client: string): string {
  return `---
name: haft
description: Works with haft's tools alone. Written by \`haft connect ${client}\`.
tools: ["haft/*"]
---

Read and change files, and run commands, with haft's tools.
`;
}
