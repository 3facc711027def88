export {
  createMarkdownSource,
  isTool,
  type MarkdownServices,
  type MarkdownSource,
} from "./markdown-source.ts";
export { type MarkdownTool, readMarkdownTool } from "./markdown-tool.ts";
export { newToolText } from "./new-tool.ts";
