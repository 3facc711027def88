export interface Excerpts {
  readonly recorded: string;
  readonly now: string;
  /** The offset at which the two part, in UTF-16 units from 0; undefined if what was kept does not show it. */
  readonly at?: number;
}

const charsBefore = 40;
const charsAfter = 120;

/** How the ledger ends a text that it cut. */
const cutOff = / … \(\d+ more characters\)$/;

/** The place at which `now` parts from what was kept of the recorded text, and how both read there. */
export function firstDifference(kept: string, now: string): Excerpts {
  const known = kept.replace(cutOff, "");
  const cut = known.length < kept.length;
  let at = 0;
  while (at < known.length && at < now.length && known[at] === now[at]) at++;
  const unseen = at === known.length && (cut || now.length === at);
  return {
    recorded: formatExcerpt(known, at, cut),
    now: formatExcerpt(now, at, false),
    ...(!unseen && { at }),
  };
}

function formatExcerpt(text: string, at: number, cut: boolean): string {
  const start = Math.max(0, at - charsBefore);
  const end = Math.min(text.length, at + charsAfter);
  const after = end < text.length || cut ? " …" : "";
  return `${start > 0 ? "… " : ""}${text.slice(start, end).toWellFormed()}${after}`;
}
