/** A value as the bytes of its JSON, without known secrets. */
export class JsonBytes<Value> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How the bytes are compressed; undefined if they are not. */
  readonly encoding: "gzip" | undefined;
  /** Never set: it ties the bytes to the type of the value. */
  declare readonly value?: Value;

  constructor(bytes: Uint8Array<ArrayBuffer>, encoding?: "gzip") {
    this.bytes = bytes;
    this.encoding = encoding;
  }
}
