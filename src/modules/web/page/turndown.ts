// Bundled when haft is built: as installed, the package brings a DOM of its own.
export { default as TurndownService } from "turndown";
export { highlightedCodeBlock, strikethrough, taskListItems } from "turndown-plugin-gfm";
