/** The kind of a file that `read` shows in its own way. */
export type Media = { readonly kind: "image"; readonly mimeType: string } | { readonly kind: "pdf" };

/** Model APIs take images up to about 5 MB of base64. */
export const maxImageBytes: number = 3_750_000;

/** Told by the first bytes, whatever the name says. */
export function detectMedia(head: Uint8Array): Media | undefined {
  const starts = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  const says = (text: string, from: number) =>
    Array.from(text).every((char, at) => head[from + at] === char.charCodeAt(0));
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return { kind: "image", mimeType: "image/png" };
  if (starts(0xff, 0xd8, 0xff)) return { kind: "image", mimeType: "image/jpeg" };
  if (says("GIF87a", 0) || says("GIF89a", 0)) return { kind: "image", mimeType: "image/gif" };
  if (says("RIFF", 0) && says("WEBP", 8)) return { kind: "image", mimeType: "image/webp" };
  return says("%PDF-", 0) ? { kind: "pdf" } : undefined;
}
