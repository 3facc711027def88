export { type PdfPages, readPdfPages } from "./documents/pdf-pages.ts";
export { previewWrite } from "./editing/late-preview.ts";
export type { AskedChange, FileChangePreview } from "./editing/preview-write.ts";
export { FileToolError, type FileToolErrorCode, fileToolErrorCodes } from "./errors.ts";
export { commandUndo, type FileTools, fileTools } from "./file-tools.ts";
export { detectMedia, maxImageBytes } from "./media.ts";
export { extractPdfText } from "./read-pdf.ts";
export { rememberSeenFiles, type SeenFile, type SeenFiles } from "./seen-files.ts";
export type { FileServices } from "./services.ts";
export {
  decodeText,
  detectForm,
  encodeText,
  headBytes,
  makeBom,
  type TextForm,
} from "./text/text-encoding.ts";
export type { ChangedRepository, CommandUndo } from "./undo/command-journal.ts";
