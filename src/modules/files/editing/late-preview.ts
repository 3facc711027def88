import type { previewWrite as preview } from "./preview-write.ts";

/** Makes the change that a file tool is asked to make, in memory. Its code is loaded at the first question. */
export const previewWrite: typeof preview = async (...asked) => {
  const { previewWrite: make } = await import("./preview-write.ts");
  return make(...asked);
};
