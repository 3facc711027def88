/** Takes secrets out of a text. */
export interface Redact {
  (text: string): string;
  /** Opens a redactor of a text that comes in pieces. Absent: each piece is taken for a whole text. */
  readonly stream?: () => RedactStream;
  /** One more secret to take out from now on. Absent: a secret that a tool is given stays in what it shows. */
  readonly learn?: (name: string, value: string) => void;
}

/** A redactor that can be given more secrets, and text in pieces. */
export interface Redactor extends Redact {
  readonly stream: () => RedactStream;
  readonly learn: (name: string, value: string) => void;
}

/** Takes secrets out of a text that comes in pieces: joined, what it gives is what `redact` gives for the whole. */
export interface RedactStream {
  /** The text up to here, without an ending that may be the beginning of a secret. */
  push(piece: string): string;
  /** What was held back. `isCut`: the text was to go on, so the beginning of a secret is taken for one. */
  end(isCut: boolean): string;
}
