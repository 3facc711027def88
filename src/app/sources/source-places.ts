/** The folders, in a project and in haft's own home, of what a user brings. */
export const sourcePlaces = {
  tools: "agent/tools",
  hooks: "agent/hooks",
  extensions: "agent/extensions",
  agent: "agent/config.md",
  manifest: "space.manifest.json",
} as const;

/** The scope of all data of an installation for one owner. */
export const localScope = "local";
