import type { ChangedFacts, MemoryEntry } from "../../../modules/memory/index.ts";
import { CliError } from "../../errors.ts";
import { findEntry, type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { parseTime } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";
import { type FactOptions, tellEntry } from "./add.ts";

export interface SetOptions extends FactOptions {
  readonly untag?: readonly string[];
  readonly unname?: readonly string[];
  readonly unpin?: boolean;
  readonly trusted?: boolean;
  readonly untrusted?: boolean;
}

export async function setFacts(
  session: Session,
  of: MemoryOptions,
  key: string,
  options: SetOptions,
): Promise<void> {
  refuseUnclear(options);
  const own = await openMemory(session, of);
  const before = await findEntry(own, key);
  const facts = toFacts(before, options);
  const { id, revision } = before;
  const trust = options.trusted === true ? "trusted" : options.untrusted === true ? "untrusted" : undefined;
  if (Object.keys(facts).length === 0 && trust === undefined)
    throw new CliError("CLI_USAGE", "Cannot set nothing: say what, as in `haft memory set persona --pin`");
  const [entry] = await own.store.edit(
    own.scope,
    [{ do: "set_block_facts", id, revision, facts, ...(trust !== undefined && { trust }) }],
    own.author,
  );
  const isSame = (entry as MemoryEntry).revision === revision;
  tellEntry(session, entry as MemoryEntry, isSame ? "is as it was" : "is changed");
}

function refuseUnclear({ pin, unpin, trusted, untrusted }: SetOptions): void {
  if (pin === true && unpin === true)
    throw new CliError("CLI_USAGE", "Cannot use --pin with --unpin: choose one");
  if (trusted === true && untrusted === true)
    throw new CliError("CLI_USAGE", "Cannot use --trusted with --untrusted: choose one");
}

function toFacts(before: MemoryEntry, options: SetOptions): ChangedFacts {
  const { label, tier, permission, title, category, pin, unpin, validFrom, validTo } = options;
  const now = Date.now();
  return {
    ...(label !== undefined && { label: label || null }),
    ...(tier !== undefined && { tier }),
    ...(permission !== undefined && { permission }),
    ...(title !== undefined && { title: title || null }),
    ...(category !== undefined && { category: category || null }),
    ...((options.tag ?? options.untag) !== undefined && {
      tags: edited(before.tags, options.tag, options.untag),
    }),
    ...((options.name ?? options.unname) !== undefined && {
      names: edited(before.names, options.name, options.unname),
    }),
    ...((pin ?? unpin) !== undefined && { pinned: pin === true }),
    ...(validFrom !== undefined && {
      validFrom: validFrom ? parseTime("--valid-from", validFrom, now) : null,
    }),
    ...(validTo !== undefined && { validTo: validTo ? parseTime("--valid-to", validTo, now) : null }),
  };
}

function edited(
  before: readonly string[],
  more: readonly string[] = [],
  fewer: readonly string[] = [],
): readonly string[] {
  return [...new Set([...before, ...more])].filter((word) => !fewer.includes(word));
}
