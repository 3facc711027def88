import type { Fields } from "../fields.ts";

/** Which of several tools of one name a file describes. */
export interface VersionFields {
  /** The label by which it is called: `name@label`. */
  readonly label: string | undefined;
  /** Parts of the calls that name no version. */
  readonly share: number | undefined;
}

export function readVersionFields(fields: Fields): VersionFields {
  const label = fields.text("version", {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    form: 'letters, digits, ".", "_" and "-", at most 32; a number in quotes',
  });
  const share = fields.number("share", { least: 0, most: 1_000_000 });
  if (share !== undefined && label === undefined)
    fields.invalid("share", "it is of one version among several; say `version` too");
  return { label, share };
}
