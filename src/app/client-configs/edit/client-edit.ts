/** A path in a file's content: the keys that lead to a value. */
export type ContentPath = readonly string[];

/** One setting that an edit puts into a client's file. */
export type ClientChange =
  /** Sets the value at a path, whatever was there. */
  | { readonly kind: "set"; readonly path: ContentPath; readonly value: unknown }
  /** Adds items to a list. `by`: the key that names an item; an item with the same name is replaced. */
  | {
      readonly kind: "add";
      readonly path: ContentPath;
      readonly items: readonly unknown[];
      readonly by?: string;
    }
  /** Replaces the whole text of a file that haft owns. */
  | { readonly kind: "write"; readonly text: string };

/** The settings that go into one file of a client. */
export interface ClientEdit {
  readonly file: string;
  readonly form: ClientFileForm;
  readonly changes: readonly ClientChange[];
}

/** Format of a file; `text`: haft writes the whole file. */
export type ClientFileForm = "json" | "toml" | "yaml" | "text";

/** Editor of one format, which changes a text and keeps everything else in it. */
export interface FormEditor {
  /** Parses the text; undefined if it is not of this format. */
  readonly parse: (text: string) => unknown;
  readonly set: (text: string, path: ContentPath, value: unknown) => string;
  /** Appends one item to a list of `length` items. */
  readonly append: (text: string, path: ContentPath, item: unknown, length: number) => string;
  /** Sets or removes a value. A number in the path is an index into a list. */
  readonly remove: (text: string, path: readonly (string | number)[]) => string;
}
