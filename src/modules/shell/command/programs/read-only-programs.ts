import { type OptionTable, optionTable } from "../syntax/options.ts";

/**
 * What the operands of a read-only program are. `any`: nothing it is given can do harm, options included; `text`:
 * values; `names`: files of which it shows no content; `files`; `search`: files, and all in the folders named;
 * `pattern-files`, `pattern-search`: a pattern first, unless an option gave it.
 */
export type Operands =
  | "any"
  | "none"
  | "text"
  | "names"
  | "files"
  | "search"
  | "pattern-files"
  | "pattern-search";

export interface ReadOnlyProgram {
  readonly operands: Operands;
  readonly options: OptionTable;
  readonly most: number;
}

/**
 * Programs that only read, each with the options that leave it so: those without a value as letters and as long
 * names, those with one, and how many operands it may have. What is not here asks. Left out on purpose are options that write
 * (`sort -o`), start programs (`rg --pre`, `sort --compress-program`), follow links out of a folder (`grep -R`,
 * `find -L`) or take names of files from a file (`wc --files0-from`).
 */
const table: Readonly<Record<string, readonly [Operands, string, string, string, number?]>> = {
  true: ["any", "", "", ""],
  false: ["any", "", "", ""],
  ":": ["any", "", "", ""],
  echo: ["any", "", "", ""],
  pwd: ["none", "LP", "", ""],
  whoami: ["none", "", "help version", ""],
  id: ["text", "agGnruz", "group groups name real user zero help version", ""],
  groups: ["text", "", "help version", ""],
  uname: [
    "none",
    "asnrvmpio",
    "all kernel-name nodename kernel-release machine processor operating-system",
    "",
  ],
  nproc: ["none", "", "all help version", "ignore"],
  arch: ["none", "", "", ""],
  uptime: ["none", "ps", "pretty since", ""],
  free: ["none", "bkmghlwt", "human total wide bytes kilo mega giga", ""],
  hostname: ["none", "fsdiIA", "fqdn short domain", ""],
  seq: ["text", "w", "equal-width", "s f separator format"],
  sleep: ["text", "", "", ""],
  basename: ["text", "az", "multiple zero", "s suffix"],
  dirname: ["text", "z", "zero", ""],
  tr: ["text", "cCdst", "complement delete squeeze-repeats truncate-set1", "", 2],
  which: ["text", "a", "", ""],
  type: ["text", "aftpP", "", ""],
  expr: ["text", "", "", ""],
  exit: ["text", "", "", ""],
  return: ["text", "", "", ""],
  break: ["text", "", "", ""],
  continue: ["text", "", "", ""],
  shift: ["text", "", "", ""],
  wait: ["text", "nf", "", ""],
  ls: [
    "names",
    "aAbBcCdfFgGhiklmnopqQrRsStuUvxXZ1",
    "all almost-all escape directory classify file-type full-time human-readable si inode numeric-uid-gid no-group reverse recursive size color group-directories-first author literal help version",
    "I w T block-size color format hide ignore indicator-style quoting-style sort time time-style width",
  ],
  tree: ["names", "adfipsughDrtcUvCnFJX", "dirsfirst noreport prune gitignore", "L P I"],
  stat: ["names", "ftx", "file-system terse", "c format printf"],
  readlink: [
    "names",
    "femnqsz",
    "canonicalize canonicalize-existing canonicalize-missing no-newline zero",
    "",
  ],
  realpath: ["names", "emPqsz", "canonicalize-existing canonicalize-missing physical quiet strip zero", ""],
  du: [
    "names",
    "abchHkmsSx0",
    "all apparent-size bytes total human-readable summarize separate-dirs one-file-system si time",
    "d B t max-depth block-size threshold exclude",
  ],
  df: [
    "names",
    "ahHiklPTBm",
    "all human-readable si inodes local portability total print-type",
    "t x type exclude-type",
  ],
  cat: [
    "files",
    "AbeEnstTuv",
    "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    "",
  ],
  tac: ["files", "br", "before regex", "s separator"],
  nl: ["files", "p", "", "b d f h i l n s v w"],
  head: ["files", "qvz0123456789", "quiet silent verbose zero-terminated", "n c lines bytes"],
  tail: [
    "files",
    "fFqvz0123456789",
    "follow quiet silent verbose zero-terminated retry",
    "n c s lines bytes pid sleep-interval",
  ],
  wc: ["files", "cmlLw", "bytes chars lines max-line-length words total", ""],
  file: ["files", "bihkLNprsv0", "brief mime mime-type mime-encoding keep-going dereference raw", ""],
  sort: [
    "files",
    "bdfghiMnRrVcCmsuz",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort reverse version-sort check merge stable unique zero-terminated",
    "k t key field-separator",
  ],
  uniq: [
    "files",
    "cdDiuz",
    "count repeated unique ignore-case zero-terminated",
    "f s w skip-fields skip-chars check-chars",
    1,
  ],
  cut: [
    "files",
    "nsz",
    "complement only-delimited zero-terminated",
    "b c d f bytes characters delimiter fields output-delimiter",
  ],
  paste: ["files", "sz", "serial zero-terminated", "d delimiters"],
  column: ["files", "tx", "table", "s o c separator output-separator"],
  comm: ["files", "123z", "check-order nocheck-order total", "output-delimiter"],
  join: ["files", "iz", "ignore-case", "a e j o t v 1 2"],
  fold: ["files", "bs", "bytes spaces", "w width"],
  rev: ["files", "", "", ""],
  od: ["files", "bcdosx", "", "A j N t"],
  hexdump: ["files", "bcCdovx", "", "n s"],
  cmp: ["files", "bls", "print-bytes verbose quiet silent", "i n", 2],
  diff: [
    "files",
    "abBdeEiNqstTuwy",
    "brief report-identical-files unified side-by-side ignore-case ignore-all-space ignore-blank-lines ignore-space-change text minimal color new-file suppress-common-lines",
    "C U W width label",
    2,
  ],
  md5sum: ["files", "btz", "binary text zero tag", ""],
  sha1sum: ["files", "btz", "binary text zero tag", ""],
  sha256sum: ["files", "btz", "binary text zero tag", ""],
  sha512sum: ["files", "btz", "binary text zero tag", ""],
  sha224sum: ["files", "btz", "binary text zero tag", ""],
  sha384sum: ["files", "btz", "binary text zero tag", ""],
  b2sum: ["files", "btz", "binary text zero tag", "l length"],
  base32: ["files", "di", "decode ignore-garbage", "w wrap", 1],
  base64: ["files", "di", "decode ignore-garbage", "w wrap", 1],
  expand: ["files", "i", "initial", "t tabs"],
  unexpand: ["files", "a", "all first-only", "t tabs"],
  fmt: ["files", "cstu", "crown-margin split-only tagged-paragraph uniform-spacing", "p w prefix width"],
  cksum: ["files", "", "", ""],
  grep: [
    "pattern-files",
    "abcEFGhHiLlnoPqrsTUVvwxz",
    "recursive extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count color files-without-match files-with-matches only-matching quiet silent no-messages byte-offset with-filename no-filename line-number initial-tab null text",
    "A B C e m after-context before-context context regexp max-count color binary-files include exclude exclude-dir",
  ],
  rg: [
    "pattern-search",
    "FilNnoPpqSsUvwxc0HI",
    "fixed-strings ignore-case files-with-matches files-without-match line-number no-line-number only-matching pcre2 pretty quiet smart-case case-sensitive multiline invert-match word-regexp line-regexp count null with-filename no-filename heading no-heading no-config json stats trim column vimgrep no-messages files",
    "A B C e g m t T M r after-context before-context context regexp glob iglob max-count max-columns max-depth type type-not color colors sort sortr replace threads",
  ],
  jq: [
    "pattern-files",
    "acCeMnrRsSj",
    "ascii-output compact-output color-output exit-status monochrome-output null-input raw-output raw-input slurp sort-keys join-output tab",
    "indent",
  ],
};

const compiled = new Map<string, ReadOnlyProgram>();

export function findReadOnlyProgram(name: string): ReadOnlyProgram | undefined {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  if (!Object.hasOwn(table, name)) return undefined;
  const [operands, flags, longFlags, values, most = Number.POSITIVE_INFINITY] = table[
    name
  ] as (typeof table)[string];
  const program = { operands, options: optionTable(flags, longFlags, values), most };
  compiled.set(name, program);
  return program;
}
