/** A first file for a tool: it works as it is, and its examples hold. */
export function newToolText(id: string): string {
  const title = id
    .split(/[-_]+/)
    .filter(Boolean)
    .map((word, at) => (at === 0 ? word[0]?.toUpperCase() + word.slice(1) : word))
    .join(" ");
  return `---
id: ${id}
name: ${JSON.stringify(title)}
description: "Say what it does and when to use it: the model chooses by this."
category: custom
parameters:
  - name: who
    type: string
    description: "Whom to greet"
    required: true
    # All of the value has to fit.
    pattern: "[A-Za-z][A-Za-z -]*"
  - name: loud
    type: boolean
    description: "In capital letters"
    default: false
# Split into words once: a value fills its word whatever it contains, and no shell reads it.
command: printf '%s, %s!\\n' {{#if loud}}HELLO{{else}}Hello{{/if}} {{who}}
timeout: 60
# A person is asked before every call.
confirm: false
# environment:
#   TARGET: "\${TARGET:-staging}"
#   TOKEN: "secret:DEPLOY_TOKEN"
# \`haft tools test ${id}\` runs these.
examples:
  - name: greets
    input: { who: Ada }
    expect: { output: "Hello, Ada!" }
  - name: takes no option for a name
    input: { who: "--help" }
    expect: { code: TOOL_VALIDATION }
---

# ${title}

What the model should know beside the description. A short page is always shown to it, a long one when it asks.
`;
}
