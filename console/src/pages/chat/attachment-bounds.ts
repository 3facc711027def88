/** Bounds of the files of a message, as the server has them. */
export const mostFiles = 20;
export const mostFileBytes = 4_000_000;
