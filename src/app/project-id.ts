import { createHash } from "node:crypto";
import { basename } from "node:path";

/** What the notes and the profile of a project folder go by, where its owner chose nothing: two folders of one name are two projects. */
export function makeProjectId(folder: string): string {
  const mark = createHash("sha256").update(folder).digest("hex").slice(0, 6);
  return `${basename(folder).slice(0, 50) || "root"}-${mark}`;
}
