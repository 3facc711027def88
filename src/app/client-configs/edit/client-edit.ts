/** A place in a file's content: the names of the objects on the way to it. */
export type ContentPath = readonly string[];

/** One thing that a client's file is to say. */
export type ClientChange =
  /** The value at a place, whatever was there. */
  | { readonly kind: "set"; readonly path: ContentPath; readonly value: unknown }
  /** Items that a list has to have, beside those it has. `by`: an item of the same name under this key is replaced. */
  | {
      readonly kind: "add";
      readonly path: ContentPath;
      readonly items: readonly unknown[];
      readonly by?: string;
    }
  /** The whole text of a file of haft's own. */
  | { readonly kind: "write"; readonly text: string };

/** What one file of a client is to say. */
export interface ClientEdit {
  readonly file: string;
  readonly form: ClientFileForm;
  readonly changes: readonly ClientChange[];
}

/** How a file is written; `text`: haft writes all of it. */
export type ClientFileForm = "json" | "toml" | "yaml" | "text";

/** A form's own way to change a text and keep everything else in it. */
export interface FormEditor {
  /** The content; undefined for a text that is not of this form. */
  readonly parse: (text: string) => unknown;
  readonly set: (text: string, path: ContentPath, value: unknown) => string;
  /** One item more at the end of a list of `length` items. */
  readonly append: (text: string, path: ContentPath, item: unknown, length: number) => string;
  /** A number in the path is the place of an item in its list. */
  readonly remove: (text: string, path: readonly (string | number)[]) => string;
}
