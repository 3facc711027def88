import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import { theme } from "../../shell/theme.ts";
import { layOut, type PlacedNode } from "./graph-layout.ts";

/** What is drawn of a node. */
export interface DrawnNode {
  readonly id: string;
  readonly name: string;
  /** 0 to 1: nodes of more strength are larger. */
  readonly strength: number;
  readonly untrusted: boolean;
}

/** What is drawn of a relation. */
export interface DrawnEdge {
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  /** Whether it is so at the time that is shown. */
  readonly current: boolean;
}

const margin = 48;
const mostChars = 24;

/** Nodes and relations as a drawing. The list beside it says the same: nothing is to be seen here alone. */
export function GraphDrawing({
  center,
  nodes,
  edges,
  shown,
  open,
}: {
  readonly center: string;
  /** All that have a place, whether they are shown or not, so that places stay while the time changes. */
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly shown: ReadonlySet<string>;
  readonly open: (id: string) => void;
}): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const placed = useRef<ReadonlyMap<string, PlacedNode>>(new Map());
  const points = useRef<readonly { readonly id: string; readonly x: number; readonly y: number }[]>([]);
  const hovered = useRef("");
  const draw = useRef(() => {});
  draw.current = () => {
    if (canvas.current !== null)
      points.current = drawGraph(canvas.current, placed.current, {
        center,
        nodes: nodes.filter(({ id }) => shown.has(id)),
        edges: edges.filter(
          ({ source, target, current }) => current && shown.has(source) && shown.has(target),
        ),
        hovered: hovered.current,
      });
  };
  const key = JSON.stringify([
    nodes.map(({ id }) => id),
    edges.map(({ source, target }) => [source, target]),
  ]);
  useEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return layOut(
      nodes.map(({ id }) => id),
      edges.filter(({ source, target }) => source !== target),
      (places, done) => {
        placed.current = places;
        if (done || !still) draw.current();
        if (done && canvas.current !== null) canvas.current.dataset["ready"] = "true";
      },
    );
  }, [key]);
  useEffect(() => draw.current());
  useEffect(() => {
    const watch = new ResizeObserver(() => draw.current());
    if (canvas.current !== null) watch.observe(canvas.current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const onScheme = () => draw.current();
    scheme.addEventListener("change", onScheme);
    return () => {
      watch.disconnect();
      scheme.removeEventListener("change", onScheme);
    };
  }, []);
  const find = (event: MouseEvent): string => {
    const near = points.current
      .map(({ id, x, y }) => ({ id, far: Math.hypot(event.offsetX - x, event.offsetY - y) }))
      .toSorted((a, b) => a.far - b.far)[0];
    return near !== undefined && near.far < 18 ? near.id : "";
  };
  return (
    <canvas
      ref={canvas}
      class="graph-canvas"
      data-theme={theme.value}
      role="img"
      aria-label="The graph as a drawing; the list beside it says the same"
      onPointerMove={(event) => {
        const id = find(event);
        event.currentTarget.style.cursor = id === "" ? "default" : "pointer";
        if (id === hovered.current) return;
        hovered.current = id;
        draw.current();
      }}
      onClick={(event) => {
        const id = find(event);
        if (id !== "" && id !== center) open(id);
      }}
    />
  );
}

/** Draws a graph so that all of it can be seen; returns where its nodes are, in pixels of the page. */
function drawGraph(
  canvas: HTMLCanvasElement,
  placed: ReadonlyMap<string, PlacedNode>,
  {
    center,
    nodes,
    edges,
    hovered,
  }: {
    readonly center: string;
    readonly nodes: readonly DrawnNode[];
    readonly edges: readonly DrawnEdge[];
    readonly hovered: string;
  },
): readonly { readonly id: string; readonly x: number; readonly y: number }[] {
  const context = canvas.getContext("2d");
  const { clientWidth: width, clientHeight: height } = canvas;
  if (context === null || placed.size === 0 || width === 0) return [];
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  const all = [...placed.values()];
  const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...all.map(({ y }) => y)), Math.max(...all.map(({ y }) => y))];
  const scale = Math.min(
    1.6,
    (width - 2 * margin) / Math.max(1, right - left),
    (height - 2 * margin) / Math.max(1, bottom - top),
  );
  const points = new Map(
    all.map(({ id, x, y }) => [
      id,
      {
        id,
        x: width / 2 + (x - (left + right) / 2) * scale,
        y: height / 2 + (y - (top + bottom) / 2) * scale,
      },
    ]),
  );
  const style = getComputedStyle(canvas);
  const colour = (name: string) => readColour(canvas, name);
  const [text, dim, line, accent, warn, ground] = [
    colour("--text"),
    colour("--text-dim"),
    colour("--line-strong"),
    colour("--accent"),
    colour("--warn"),
    colour("--bg-raised"),
  ];
  context.textAlign = "center";
  context.font = `11px ${style.fontFamily}`;
  const few = nodes.length <= 40;
  for (const { source, target, relation } of edges) {
    const [from, to] = [points.get(source), points.get(target)];
    if (from === undefined || to === undefined) continue;
    const isNear = hovered === source || hovered === target;
    context.strokeStyle = isNear ? accent : line;
    context.lineWidth = isNear ? 2 : 1;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
    if (isNear || (few && edges.length <= 12))
      writeLabel(context, shorten(relation), (from.x + to.x) / 2, (from.y + to.y) / 2, dim, ground);
  }
  for (const { id, name, strength, untrusted } of nodes) {
    const point = points.get(id);
    if (point === undefined) continue;
    const radius = id === center ? 9 : 4 + 4 * strength;
    context.fillStyle = id === center || id === hovered ? accent : untrusted ? ground : dim;
    context.strokeStyle = untrusted ? warn : ground;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(point.x, point.y, radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    if (few || id === center || id === hovered || strength > 0.5)
      writeLabel(context, shorten(name), point.x, point.y + radius + 12, text, ground);
  }
  return nodes.flatMap(({ id }) => points.get(id) ?? []);
}

function writeLabel(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  ink: string,
  ground: string,
): void {
  context.lineWidth = 3;
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

/** Names are of anybody's: on a canvas, too, what would not be seen is written out. */
function shorten(text: string): string {
  const shown = showInvisible(text);
  return shown.length > mostChars ? `${shown.slice(0, mostChars - 1)}…` : shown;
}

/** A colour of the page as a canvas takes it: a variable may say one for light and one for dark. */
function readColour(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}
