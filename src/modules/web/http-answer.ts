import { formatBytes } from "../../base/index.ts";
import type { HttpResponse } from "../../host/index.ts";
import { readBodyText, readMediaType } from "./body-text.ts";

/** What the HTTP tools give back. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text; base64 where `encoding` says so; empty where the note describes it. */
  readonly body: string;
  readonly encoding?: "base64";
  /** The address that answered, if redirects were followed. */
  readonly url?: string;
  /** What the reader has to know: a redirect that was not followed, a cut or left out body. */
  readonly note?: string;
}

// In base64 it is text that a model cannot read; past this it only fills the context.
const maxBinaryBytes = 4_096;

export function toHttpAnswer(response: HttpResponse): HttpAnswer {
  const { status, headers, redirects, url } = response;
  const notes = [redirectNote(response), cutNote(response)];
  const part = { status, headers, ...(redirects.length > 0 ? { url } : {}) };
  const text = readBodyText(response);
  if (text !== undefined) return withNotes({ ...part, body: text }, notes);
  const size = response.body.length;
  if (size <= maxBinaryBytes && !response.truncated && response.encoding === undefined) {
    return withNotes(
      { ...part, body: Buffer.from(response.body).toString("base64"), encoding: "base64" },
      notes,
    );
  }
  const type = readMediaType(response) || "of an unknown type";
  const coding = response.encoding === undefined ? "" : ` in the coding ${response.encoding}`;
  const sizes = `${response.truncated ? "more than " : ""}${formatBytes(size)}`;
  const note = `The body is ${type}${coding}, ${sizes}: it is not text and is left out`;
  return withNotes({ ...part, body: "" }, [notes[0], note]);
}

function withNotes(answer: HttpAnswer, notes: readonly (string | undefined)[]): HttpAnswer {
  const note = notes.filter((text) => text !== undefined).join(". ");
  return note === "" ? answer : { ...answer, note };
}

function redirectNote({ location }: HttpResponse): string | undefined {
  return location === undefined
    ? undefined
    : `This redirects to "${location}" and was not followed; call again with that address to go there`;
}

function cutNote({ truncated, body }: HttpResponse): string | undefined {
  return truncated ? `The body went on after ${formatBytes(body.length)} and was cut there` : undefined;
}
