/** A git repository whose changes can't be undone; the message is a phrase with the reason. */
export class UnsupportedRepository extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "UnsupportedRepository";
  }
}

/** Whether a name that was read as UTF-8 is something else: no snapshot can hold what it stands for. */
export function isNoText(name: string): boolean {
  return name.includes("\uFFFD");
}

/** Says in a phrase that a file or folder has such a name. */
export function sayNoText(path: string): string {
  return `${path} is a file whose name is no text in UTF-8, which no snapshot holds`;
}
