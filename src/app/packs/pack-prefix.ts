/** The beginning of an entry of a list that stands for all tools of a pack. No name of a tool has a colon. */
export const packPrefix = "pack:";
