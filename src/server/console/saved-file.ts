import type { HttpResponse } from "../http/port.ts";
import { consoleHeaders } from "./headers.ts";

/** An answer that the browser saves as a file. It is sent as its bytes, and under a type that no browser shows. */
export class SavedFile {
  readonly name: string;
  readonly bytes: Uint8Array;

  /** @param name letters, digits, `_`, `-` and `.` alone, since it stands in a header and becomes a file's name */
  constructor(name: string, bytes: Uint8Array) {
    if (!/^[\w-]+(?:\.[\w-]+)*$/.test(name)) throw new TypeError(`Cannot send a file as "${name}"`);
    this.name = name;
    this.bytes = bytes;
  }
}

export function sendSavedFile(response: HttpResponse, { name, bytes }: SavedFile): void {
  response.writeHead(200, {
    ...consoleHeaders,
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${name}"`,
    "content-length": bytes.byteLength,
    "x-content-type-options": "nosniff",
  });
  response.end(bytes);
}
