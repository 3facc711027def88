import type { VNode } from "preact";

export interface Bar {
  /** What the bar stands for, such as a day. */
  readonly name: string;
  readonly value: number;
  /** The part of the value that went wrong. */
  readonly bad?: number;
  /** The value is larger than is known. */
  readonly incomplete?: boolean;
  /** What the bar says when it is pointed at. */
  readonly title: string;
}

const height = 100;
const slot = 10;
/** More bars than this stand without a space between them. */
const mostSpaced = 200;

/** Values beside each other as bars. A table has the same for those who do not see it. */
export function BarPlot({
  title,
  bars,
  format,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}): VNode {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const scale = most === 0 ? 0 : height / most;
  const width = bars.length > mostSpaced ? slot : slot * 0.75;
  const peak = bars.find(({ value }) => value === most);
  const about =
    most === 0 || peak === undefined
      ? "nothing"
      : `at most ${format(most)}, on ${peak.name}; the table has all`;
  return (
    <figure class="bar-plot">
      <figcaption>
        {title} <span class="dim">{most === 0 ? "" : `up to ${format(most)}`}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(1, bars.length) * slot} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}, ${bars.length} bars: ${about}`}
      >
        {bars.map(({ name, value, bad = 0, incomplete = false, title: says }, at) => (
          <g key={name}>
            <title>{says}</title>
            <rect class="bar-hit" x={at * slot} y={0} width={slot} height={height} />
            {value > 0 && (
              <rect
                class="bar-value"
                x={at * slot}
                y={height - Math.max(1, value * scale)}
                width={width}
                height={Math.max(1, value * scale)}
              />
            )}
            {bad > 0 && (
              <rect
                class="bar-wrong"
                x={at * slot}
                y={height - Math.max(1, bad * scale)}
                width={width}
                height={Math.max(1, bad * scale)}
              />
            )}
            {incomplete && (
              <rect
                class="bar-unknown"
                x={at * slot}
                y={Math.max(0, height - value * scale - 8)}
                width={width}
                height={6}
              />
            )}
          </g>
        ))}
      </svg>
      <p class="bar-names dim" aria-hidden="true">
        <span>{bars[0]?.name}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.name : ""}</span>
      </p>
    </figure>
  );
}
