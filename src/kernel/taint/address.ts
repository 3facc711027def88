import { partsWith } from "./scan.ts";

/** An address in a text that is in small letters. */
export interface Address {
  /**
   * Without user, with letters of other scripts as the Latin ones that they look like. With its port if it is an
   * address of numbers or this machine, where each port may be another's.
   */
  readonly host: string;
  /** Host and port, and each further part of the path; the last is the whole path. Without slashes at the end. */
  readonly prefixes: readonly string[];
  /** All but the fragment. */
  readonly whole: string;
  /** Path, query and fragment. */
  readonly rest: string;
}

const address = /[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'`<>\\^{}|]+/g;
const maxPrefixes = 20;

export function addressesIn(text: string): Address[] {
  const found: Address[] = [];
  for (const part of partsWith(text, "://"))
    for (const [written] of part.matchAll(address)) {
      const one = readAddress(written);
      if (one.host !== "") found.push(one);
    }
  return found;
}

function readAddress(found: string): Address {
  const written = found.replace(/[).,;:!?\]*_]+$/, "");
  const [, authority = "", path = "", query = "", fragment = ""] =
    /^[^:]+:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/.exec(written) ?? [];
  const place = authority.slice(authority.lastIndexOf("@") + 1).replace(/\.(?=$|:)/, "");
  const origin = foldLetters(place);
  const name = origin.replace(/:\d*$/, "");
  const host = ofNumbers.test(name) || /(?:^|\.)localhost$/.test(name) ? origin : name;
  const prefixes = [origin];
  let prefix = origin;
  for (const part of path.split("/")) {
    if (part === "") continue;
    prefix += `/${part}`;
    if (prefixes.length < maxPrefixes) prefixes.push(prefix);
  }
  return { host, prefixes, whole: prefix + query, rest: path + query + fragment };
}

const ofNumbers = /^(?:[\d.]+|\[.*\])$/;

/** The host and what it is below, down to two labels. An address of numbers is only itself. */
export function hostAndParents(host: string): string[] {
  if (ofNumbers.test(host.replace(/:\d*$/, ""))) return [host];
  const labels = host.split(".");
  const hosts = [host];
  for (let start = 1; start <= labels.length - 2 && start < 10; start++)
    hosts.push(labels.slice(start).join("."));
  return hosts;
}

/** What a name that stands alone has to end in: `user.id` and `main.rs` are other things. */
const hostEndings =
  /\.(?:com|org|net|io|dev|app|ai|edu|gov|mil|int|info|biz|xyz|online|site|cloud|tech|shop|link|click|top|pro|page|blog|news|live|tv|cc|uk|de|fr|eu|ru|cn|jp|nl|se|no|fi|dk|ch|at|pl|cz|br|au|ca|kr|example|test|invalid|internal|onion)$/;
const bareHost =
  /(?<![\p{L}\p{N}@/._-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,24}(?![\p{L}\p{N}(_-]|\.\p{L})/gu;

const ascii = /^[\0-\x7f]*$/;
const hostEnding = new RegExp(`${hostEndings.source.slice(0, -1)}(?![\\p{L}\\p{N}(_-])`, "u");

/** Names of hosts that stand alone, without a scheme. */
export function bareHostsIn(text: string): string[] {
  // A quick test, in a tenth of the time, since most texts have no such ending. Letters of other scripts may form one.
  if (ascii.test(text) && !hostEnding.test(text)) return [];
  const hosts: string[] = [];
  for (const part of partsWith(text, "."))
    for (const [found] of part.matchAll(bareHost)) {
      const host = foldLetters(found);
      if (hostEndings.test(host)) hosts.push(host);
    }
  return hosts;
}

/** Small letters of other scripts that look like Latin ones. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    ɑ: "a",
    α: "a",
    ь: "b",
    с: "c",
    ϲ: "c",
    ԁ: "d",
    ɗ: "d",
    е: "e",
    є: "e",
    ё: "e",
    ғ: "f",
    ɡ: "g",
    һ: "h",
    і: "i",
    ї: "i",
    ı: "i",
    ι: "i",
    ј: "j",
    к: "k",
    κ: "k",
    ӏ: "l",
    ⅼ: "l",
    м: "m",
    ո: "n",
    п: "n",
    η: "n",
    о: "o",
    ο: "o",
    օ: "o",
    σ: "o",
    р: "p",
    ρ: "p",
    ԛ: "q",
    г: "r",
    ѕ: "s",
    т: "t",
    τ: "t",
    υ: "u",
    ս: "u",
    ν: "v",
    ѵ: "v",
    ԝ: "w",
    ѡ: "w",
    х: "x",
    χ: "x",
    у: "y",
    γ: "y",
    ү: "y",
    "。": ".",
    "．": ".",
    "｡": ".",
  }),
);
const otherScript = /[^ -~\s]/g;

export function foldLetters(text: string): string {
  return text.replace(otherScript, (letter) => lookalikes.get(letter) ?? letter);
}
