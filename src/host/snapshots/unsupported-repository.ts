/** A git repository whose changes can't be undone; the message is a phrase with the reason. */
export class UnsupportedRepository extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "UnsupportedRepository";
  }
}
