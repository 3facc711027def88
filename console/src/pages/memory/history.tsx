import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { MemoryDetail } from "../../../../src/server/console/api/index.ts";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { Text } from "../../text/text.tsx";

type Version = MemoryDetail["history"][number];

const firstVersions = 10;
/** Lines around a change that are shown with it. */
const around = 2;
const kinds = { "+": "added", "-": "removed", " ": undefined } as const;

/** Versions of an entry, the newest first, each with what it changed of the text. */
export function History({ versions }: { readonly versions: readonly Version[] }): VNode {
  const [shown, setShown] = useState(firstVersions);
  return (
    <>
      <ol class="versions">
        {versions.slice(0, shown).map((version) => (
          <li key={version.version}>
            <p class="version-head">
              <strong>
                Version {version.version}
                {version.current && ", in force"}
              </strong>
              <Text value={version.change.replaceAll("_", " ")} oneLine />
              <span class="dim">
                by{" "}
                {version.author.callId === undefined ? (
                  <Text value={version.author.by} oneLine />
                ) : (
                  <a href={toHref(`calls/${encodeURIComponent(version.author.callId)}`)}>
                    <Text value={version.author.by} oneLine />
                  </a>
                )}
                , <Time at={version.at} />
              </span>
            </p>
            <VersionDiff version={version} />
          </li>
        ))}
      </ol>
      {versions.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown * 10)}>
          Show {versions.length - shown} older versions
        </button>
      )}
    </>
  );
}

function VersionDiff({ version: { diff, version } }: { readonly version: Version }): VNode {
  const isChanged = diff.map(({ kind }) => kind !== " ");
  if (!isChanged.includes(true)) return <p class="dim">The text stayed as it was.</p>;
  const isNear = (at: number) => isChanged.slice(Math.max(0, at - around), at + around + 1).includes(true);
  return (
    <div class="diff">
      <pre tabIndex={0} role="region" aria-label={`What version ${version} changed`}>
        {diff.map(({ kind, text }, at) => {
          if (!isNear(at))
            return at > 0 && !isNear(at - 1) ? null : (
              <span key={at} class="memory-diff dim">
                ⋯
              </span>
            );
          return (
            <span key={at} class="memory-diff" data-kind={kinds[kind]}>
              {kind} <Text value={text} />
            </span>
          );
        })}
      </pre>
    </div>
  );
}
