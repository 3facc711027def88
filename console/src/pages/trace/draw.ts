import { formatCount, formatMicros, formatMs } from "../../text/format.ts";
import { findInLane, type Lanes } from "./flame-lanes.ts";
import type { Inks } from "./inks.ts";
import { nameSpan, type Span, type SpanKind, type Trace } from "./trace-model.ts";

export const rowHeight = 22;
export const axisHeight = 24;
const barHeight = rowHeight - 8;

/** A part of the time of a trace, in ms after its beginning. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** What is drawn, and where. Lengths are CSS pixels. */
export interface Scene {
  readonly trace: Trace;
  readonly range: TimeRange;
  readonly width: number;
  readonly height: number;
  /** How far the rows are scrolled. */
  readonly top: number;
  readonly chosen: number;
  readonly inks: Inks;
}

/** The width of the names beside the waterfall. */
export function getNamesWidth(width: number): number {
  return Math.round(Math.min(260, width * 0.36));
}

/** Draws the rows of a waterfall that are seen: a name, and a bar from the span's beginning to its end. */
export function drawWaterfall(canvas: CanvasRenderingContext2D, rows: readonly number[], scene: Scene): void {
  const { trace, width, height, top, chosen, inks } = scene;
  const left = getNamesWidth(width);
  const toX = createScale(scene, left);
  clear(canvas, scene);
  drawAxis(canvas, scene, left);
  canvas.save();
  canvas.beginPath();
  canvas.rect(0, axisHeight, width, height - axisHeight);
  canvas.clip();
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight));
  for (let row = first; row < last; row++) {
    const span = trace.getSpan(rows[row] ?? 0);
    const y = axisHeight + row * rowHeight - top;
    if (span.place === chosen) {
      canvas.fillStyle = inks.sunken;
      canvas.fillRect(0, y, width, rowHeight);
      canvas.fillStyle = inks.accent;
      canvas.fillRect(0, y, 3, rowHeight);
    }
    const indent = 8 + Math.min(span.depth, 12) * (left > 180 ? 12 : 6);
    write(canvas, markName(span), indent, y, left - indent - 6, span.critical ? inks.text : inks.dim, span);
    const from = toX(span.from);
    const to = toX(span.to);
    if (to < left || from > width) continue;
    const barFrom = Math.max(left, from);
    const barTo = Math.max(barFrom + 2, Math.min(width, to));
    canvas.save();
    canvas.beginPath();
    canvas.rect(left, y, width - left, rowHeight);
    canvas.clip();
    drawBar(canvas, span, barFrom, y + 4, barTo - barFrom, inks);
    const words = describeCost(span);
    const room = canvas.measureText(words).width + 8;
    if (barTo + room < width) write(canvas, words, barTo + 5, y, room, inks.dim);
    else if (barTo - barFrom > room) write(canvas, words, barFrom + 5, y, room, inks.text);
    else if (barFrom - left > room) write(canvas, words, barFrom - room, y, room, inks.dim);
    canvas.restore();
  }
  canvas.restore();
}

/** Draws the lanes that are seen. Spans that are narrower than a pixel are drawn once a pixel. */
export function drawFlame(canvas: CanvasRenderingContext2D, { lanes }: Lanes, scene: Scene): void {
  const { trace, range, width, height, top, chosen, inks } = scene;
  const toX = createScale(scene, 0);
  const msOfPixel = (range.to - range.from) / width;
  clear(canvas, scene);
  drawAxis(canvas, scene, 0);
  canvas.save();
  canvas.beginPath();
  canvas.rect(0, axisHeight, width, height - axisHeight);
  canvas.clip();
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(lanes.length, Math.ceil((top + height) / rowHeight));
  for (let at = first; at < last; at++) {
    const lane = lanes[at] ?? [];
    const y = axisHeight + at * rowHeight - top;
    let index = findInLane(trace, lane, range.from);
    while (index < lane.length) {
      const place = lane[index] ?? 0;
      const from = toX(trace.getFrom(place));
      if (from > width) break;
      const span = trace.getSpan(place);
      const barFrom = Math.max(0, from);
      const barWidth = Math.max(1, Math.min(width, toX(span.to)) - barFrom - 1);
      drawBar(canvas, span, barFrom, y + 4, barWidth, inks);
      if (place === chosen) {
        canvas.strokeStyle = inks.text;
        canvas.lineWidth = 2;
        canvas.strokeRect(barFrom + 1, y + 2, Math.max(2, barWidth - 2), rowHeight - 4);
      }
      if (barWidth > 24) write(canvas, markName(span), barFrom + 5, y, barWidth - 8, inks.text);
      index = Math.max(index + 1, barWidth > 1 ? 0 : findInLane(trace, lane, span.from + msOfPixel));
    }
  }
  canvas.restore();
}

/** The place of a moment, in pixels. */
export function createScale({ range, width }: Scene, left: number): (ms: number) => number {
  const pixels = (width - left) / (range.to - range.from);
  return (ms) => left + (ms - range.from) * pixels;
}

/** Signs say what colours do, too. */
function markName(span: Span): string {
  const sign = span.state === "failed" ? "✕ " : span.underWay ? "▸ " : "";
  return sign + nameSpan(span);
}

/** How long it took, and what a request to a model used. */
function describeCost({ from, to, tokens, costMicros, kind }: Span): string {
  return [
    formatMs(to - from),
    tokens !== undefined && `${formatCount(tokens)} tokens`,
    costMicros !== undefined && formatMicros(costMicros),
    kind === "model" && costMicros === undefined && "unpriced",
  ]
    .filter((part) => part !== false)
    .join(" · ");
}

function clear(canvas: CanvasRenderingContext2D, { width, height, inks }: Scene): void {
  canvas.font = "12px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  canvas.fillStyle = inks.raised;
  canvas.fillRect(0, 0, width, height);
}

const steps = [1, 2, 5] as const;
/** Distances that are read at a glance, in s. */
const secondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** The distance between two marks of the axis, in ms. */
function findStep(ms: number, most: number): number {
  for (let power = 0.001; power < 1000; power *= 10)
    for (const step of steps) if (ms / (step * power) <= most) return step * power;
  const seconds = secondSteps.find((step) => ms / (step * 1000) <= most);
  const days = ms / most / 86_400_000;
  return seconds === undefined ? Math.ceil(days) * 86_400_000 : seconds * 1000;
}

function drawAxis(canvas: CanvasRenderingContext2D, scene: Scene, left: number): void {
  const { range, width, height, inks } = scene;
  const toX = createScale(scene, left);
  const step = findStep(range.to - range.from, Math.max(2, (width - left) / 90));
  canvas.fillStyle = inks.sunken;
  canvas.fillRect(0, 0, width, axisHeight);
  for (let ms = Math.ceil(range.from / step) * step; ms <= range.to; ms += step) {
    const x = Math.round(toX(ms));
    canvas.fillStyle = inks.line;
    canvas.fillRect(x, 0, 1, height);
    const text = ms < 10 && step < 1 ? `${Number(ms.toFixed(3))} ms` : formatMs(ms);
    // The last mark may have no room for its text.
    if (x + 4 + canvas.measureText(text).width <= width) write(canvas, text, x + 4, 0, 80, inks.dim);
  }
  canvas.fillStyle = inks.line;
  canvas.fillRect(0, axisHeight - 1, width, 1);
  if (left > 0) canvas.fillRect(left - 1, 0, 1, height);
}

function write(
  canvas: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  most: number,
  ink: string,
  span?: Span,
): void {
  if (most < 12) return;
  canvas.save();
  canvas.beginPath();
  canvas.rect(x, y, most, rowHeight);
  canvas.clip();
  canvas.fillStyle = ink;
  if (span?.critical) canvas.font = "600 12px system-ui, sans-serif";
  // A long text costs much to draw, and no more of it is seen.
  canvas.fillText(text.slice(0, Math.ceil(most / 3)), x, y + rowHeight / 2 + 1);
  canvas.restore();
}

function drawBar(
  canvas: CanvasRenderingContext2D,
  span: Span,
  x: number,
  y: number,
  width: number,
  inks: Inks,
): void {
  const height = barHeight;
  canvas.fillStyle = inks[span.kind];
  canvas.fillRect(x, y, width, height);
  if (width > 4) drawPattern(canvas, span.kind, x, y, width, height, inks);
  if (span.state === "failed") {
    canvas.fillStyle = inks.bad;
    canvas.fillRect(x, y, Math.min(3, width), height);
  }
  if (span.critical) {
    canvas.fillStyle = inks.text;
    canvas.fillRect(x, y + height - 2, width, 2);
  }
}

/** Stripes for a wait for a person, dots for a wait for a turn: not by colour alone. */
function drawPattern(
  canvas: CanvasRenderingContext2D,
  kind: SpanKind,
  x: number,
  y: number,
  width: number,
  height: number,
  inks: Inks,
): void {
  if (kind !== "person" && kind !== "turn") return;
  canvas.save();
  canvas.beginPath();
  canvas.rect(x, y, width, height);
  canvas.clip();
  canvas.globalAlpha = 0.3;
  canvas.strokeStyle = inks.text;
  canvas.fillStyle = inks.text;
  canvas.lineWidth = 1;
  canvas.beginPath();
  if (kind === "person")
    for (let at = x - height; at < x + width; at += 6) {
      canvas.moveTo(at, y + height);
      canvas.lineTo(at + height, y);
    }
  else for (let at = x + 3; at < x + width; at += 6) canvas.rect(at, y + height / 2 - 1, 2, 2);
  if (kind === "person") canvas.stroke();
  else canvas.fill();
  canvas.restore();
}
