import { RecentMap } from "../../base/index.ts";
import { type Address, addressesIn, hostAndParents } from "./address.ts";
import {
  type PieceKey,
  toKey,
  tokensIn,
  type VisitPiece,
  visitAddress,
  visitCommands,
  visitFindable,
  visitLearned,
} from "./pieces.ts";
import { listReadings } from "./readings.ts";
import type { Disclosure, Finding, Source } from "./sources.ts";

/** Pieces of one text that are remembered. */
const maxPiecesOfText = 50_000;
/** Sources named of one call. */
const maxNamed = 3;
const maxHosts = 1000;
const maxRecent = 16;
const maxRecentChars = 2000;

/** The pieces that a conversation has seen, each with the text that had it first. */
export class KnownPieces {
  readonly #seed: number;
  readonly #sources = new Map<PieceKey, Source>();
  /** Texts that were read lately: many calls have the same arguments, or the same result. */
  readonly #recent = new RecentMap<string, true>(maxRecent);
  /** Hosts that data came from, whoever named them first. */
  readonly #answering = new Set<string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#sources.size;
  }

  /** A known piece keeps its first source, so reading a text again changes nothing until a piece is forgotten. */
  learn(text: string, source: Source): void {
    if (this.#recent.get(text) === true) return;
    if (text.length <= maxRecentChars) this.#recent.set(text, true);
    let left = maxPiecesOfText;
    const visit: VisitPiece = (_kind, key) => {
      if (left === 0 || this.#sources.has(key)) return;
      this.#sources.set(key, source);
      left--;
    };
    for (const reading of listReadings(text)) visitLearned(reading, this.#seed, visit);
  }

  answered(host: string): void {
    if (this.#answering.size < maxHosts) this.#answering.add(host);
  }

  forgetOldest(count: number): void {
    this.#recent.clear();
    let left = count;
    for (const key of this.#sources.keys()) {
      if (left-- <= 0) return;
      this.#sources.delete(key);
    }
  }

  /** @param commands the texts that are command lines */
  find(texts: readonly string[], commands: readonly string[] = []): Finding {
    const untrusted = new Set<Source>();
    const addresses: Address[] = [];
    const readings = texts.flatMap(listReadings);
    const visit: VisitPiece = (_kind, key) => {
      const source = this.#sources.get(key);
      if (source?.trust === "untrusted" && untrusted.size < maxNamed) untrusted.add(source);
    };
    for (const reading of readings) {
      addresses.push(...addressesIn(reading));
      visitFindable(reading, this.#seed, visit);
    }
    for (const reading of commands.flatMap(listReadings)) visitCommands(reading, this.#seed, visit);
    return { untrusted: Array.from(untrusted), disclosed: this.#findDisclosure(addresses, readings) };
  }

  /** A host of an address that neither a caller named nor anything that was read here. */
  unknownHostIn(texts: readonly string[]): string | undefined {
    const isTrusted = (host: string) =>
      this.#sources.get(toKey("host", host, this.#seed))?.trust === "trusted";
    return texts
      .flatMap(listReadings)
      .flatMap((reading) => Array.from(addressesIn(reading)))
      .find(({ host }) => !hostAndParents(host).some(isTrusted))?.host;
  }

  /** Whether what was read here is in the texts. */
  holdsPrivate(texts: readonly string[]): boolean {
    return this.#privateIn(texts.flatMap(listReadings)) !== undefined;
  }

  #findDisclosure(addresses: readonly Address[], readings: readonly string[]): Disclosure | undefined {
    const foreign = addresses.find((address) => this.#isForeign(address));
    if (foreign === undefined) return undefined;
    const source = this.#privateIn(readings) ?? this.#privateIn(readings.flatMap(listDisguises));
    if (source !== undefined) return { host: foreign.host, source };
    const extended = addresses.find((address) => this.#isExtended(address));
    return extended && { host: extended.host, source: undefined };
  }

  #privateIn(readings: readonly string[]): Source | undefined {
    let found: Source | undefined;
    const visit: VisitPiece = (kind, key) => {
      if (found !== undefined || (kind !== "token" && kind !== "phrase" && kind !== "mail")) return;
      const source = this.#sources.get(key);
      if (source?.isPrivate === true) found = source;
    };
    for (const reading of readings) if (found === undefined) visitFindable(reading, this.#seed, visit);
    return found;
  }

  /** Data from outside named it, or came from its host. */
  #isForeign(address: Address): boolean {
    return (
      hostAndParents(address.host).some((host) => this.#answering.has(host)) || this.#isNamedOutside(address)
    );
  }

  #isNamedOutside(address: Address): boolean {
    let isNamed = false;
    visitAddress(address, this.#seed, (_kind, key) => {
      isNamed ||= this.#sources.get(key)?.trust === "untrusted";
    });
    return isNamed;
  }

  /** It begins as data from outside has it, and goes on with something that neither that nor a person said. */
  #isExtended(address: Address): boolean {
    if (this.#isExplained(toKey("address", address.whole, this.#seed))) return false;
    if (!this.#isNamedOutside(address)) return false;
    const labels = address.host.replaceAll(".", " ");
    for (const token of tokensIn(`${labels} ${address.rest}`))
      if (!this.#isExplained(toKey("token", token, this.#seed))) return true;
    return false;
  }

  /** What a caller says by itself explains nothing: it may be what a page made it say. */
  #isExplained(key: PieceKey): boolean {
    const source = this.#sources.get(key);
    return source !== undefined && (source.trust === "untrusted" || source.isGiven === true);
  }
}

/** A text as it reads where letters were moved by 13, and from its end. */
function listDisguises(reading: string): string[] {
  const moved = reading.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97),
  );
  return [moved, Array.from(reading).reverse().join("")];
}
