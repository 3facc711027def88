import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { theme } from "../../shell/theme.ts";
import {
  axisHeight,
  createScale,
  drawFlame,
  drawWaterfall,
  getNamesWidth,
  rowHeight,
  type Scene,
  type TimeRange,
} from "./draw.ts";
import { findInLane, layLanes } from "./flame-lanes.ts";
import { inkNames, readInks } from "./inks.ts";
import type { Trace } from "./trace-model.ts";

export type ChartView = "waterfall" | "flame";

interface ChartProps {
  readonly trace: Trace;
  readonly view: ChartView;
  readonly criticalAlone: boolean;
  /** The place of the span that is chosen; −1 for none. */
  readonly chosen: number;
  readonly choose: (place: number) => void;
  /** The part of the time that the address names. */
  readonly range: TimeRange;
  /** Told once a change of the part that is seen is over. */
  readonly setRange: (range: TimeRange) => void;
  readonly open: (place: number) => void;
  readonly label: string;
}

/** A change of the seen part is over when nothing more happened for so long. */
const restMs = 250;
/** A pointer that moved less than this did not drag. */
const clickPixels = 4;

/** Spans over time on a canvas. Only what is seen is drawn, so that it is as fast with 100,000 spans as with ten. */
export function Chart(props: ChartProps): VNode {
  const { trace, view, criticalAlone, chosen, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const inks = useRef<HTMLDivElement>(null);
  const seen = useRef<TimeRange>(props.range);
  const told = useRef<TimeRange>(props.range);
  const frame = useRef(0);
  const rest = useRef(0);
  const drag = useRef<{ x: number; y: number; moved: boolean }>(undefined);
  const places = useMemo(() => trace.listPlaces(criticalAlone), [trace, criticalAlone]);
  const lanes = useMemo(
    () => (view === "flame" ? layLanes(trace, places) : undefined),
    [trace, places, view],
  );
  const height = axisHeight + (lanes?.lanes.length ?? places.length) * rowHeight;
  if (told.current.from !== props.range.from || told.current.to !== props.range.to) {
    seen.current = props.range;
    told.current = props.range;
  }

  const readScene = (): Scene | undefined => {
    const box = scroller.current;
    if (box === null || inks.current === null) return undefined;
    const { clientWidth: width, clientHeight } = box;
    return {
      trace,
      range: seen.current,
      width,
      height: clientHeight,
      top: box.scrollTop,
      chosen,
      inks: readInks(inks.current),
    };
  };
  const draw = () => {
    frame.current = 0;
    const scene = readScene();
    const context = canvas.current?.getContext("2d");
    if (scene === undefined || canvas.current === null || !context) return;
    const ratio = window.devicePixelRatio;
    const width = Math.round(scene.width * ratio);
    const pixels = Math.round(scene.height * ratio);
    if (canvas.current.width !== width || canvas.current.height !== pixels) {
      canvas.current.width = width;
      canvas.current.height = pixels;
      canvas.current.style.height = `${scene.height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (lanes === undefined) drawWaterfall(context, places, scene);
    else drawFlame(context, lanes, scene);
  };
  const latest = useRef(draw);
  latest.current = draw;
  const schedule = () => {
    if (frame.current === 0) frame.current = requestAnimationFrame(() => latest.current());
  };
  const look = (range: TimeRange) => {
    const least = Math.min(trace.ms, 0.01);
    const ms = Math.min(trace.ms, Math.max(least, range.to - range.from));
    const from = Math.max(0, Math.min(trace.ms - ms, range.from));
    seen.current = { from, to: from + ms };
    schedule();
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => {
      told.current = seen.current;
      props.setRange(seen.current);
    }, restMs);
  };
  const zoom = (factor: number, around: number) => {
    const { from, to } = seen.current;
    look({ from: around - (around - from) * factor, to: around + (to - around) * factor });
  };
  const pan = (share: number) => {
    const { from, to } = seen.current;
    look({ from: from + share * (to - from), to: to + share * (to - from) });
  };
  const fit = (place: number) => {
    const margin = Math.max(0.01, (trace.getTo(place) - trace.getFrom(place)) * 0.05);
    look({ from: trace.getFrom(place) - margin, to: trace.getTo(place) + margin });
  };
  const getLeft = (scene: Scene) => (lanes === undefined ? getNamesWidth(scene.width) : 0);
  const toMs = (event: MouseEvent): number => {
    const scene = readScene();
    if (scene === undefined || scroller.current === null) return 0;
    const x = event.clientX - scroller.current.getBoundingClientRect().left;
    const toX = createScale(scene, getLeft(scene));
    const pixels = toX(1) - toX(0);
    return Math.max(seen.current.from, scene.range.from + (x - getLeft(scene)) / pixels);
  };
  const findAt = (event: MouseEvent): number => {
    if (scroller.current === null) return -1;
    const box = scroller.current.getBoundingClientRect();
    const y = event.clientY - box.top - axisHeight;
    if (y < 0) return -1;
    const row = Math.floor((y + scroller.current.scrollTop) / rowHeight);
    if (lanes === undefined) return places[row] ?? -1;
    const lane = lanes.lanes[row] ?? [];
    const ms = toMs(event);
    const place = lane[findInLane(trace, lane, ms)];
    return place !== undefined && trace.getFrom(place) <= ms ? place : -1;
  };

  useLayoutEffect(draw);
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const sizes = new ResizeObserver(schedule);
    sizes.observe(box);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", schedule);
    return () => {
      sizes.disconnect();
      dark.removeEventListener("change", schedule);
      cancelAnimationFrame(frame.current);
      clearTimeout(rest.current);
    };
  }, []);
  useEffect(schedule, [theme.value]);
  // What is chosen by a key or by the address is where it can be seen.
  useEffect(() => {
    const box = scroller.current;
    const row = lanes === undefined ? places.indexOf(chosen) : (lanes.laneOf.get(chosen) ?? -1);
    if (box === null || row < 0) return;
    const y = row * rowHeight;
    const room = box.clientHeight - axisHeight;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + rowHeight > box.scrollTop + room) box.scrollTop = y + rowHeight - room;
    const { from, to } = seen.current;
    if (trace.getTo(chosen) < from || trace.getFrom(chosen) > to) {
      const start = trace.getFrom(chosen) - (to - from) * 0.1;
      look({ from: start, to: start + to - from });
    }
  }, [chosen, lanes, places]);

  const move = (key: string): number | undefined => {
    if (chosen < 0 && key.startsWith("Arrow")) return places[0];
    if (lanes === undefined) {
      const row = places.indexOf(chosen);
      const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
      const targets: Readonly<Record<string, number>> = {
        ArrowUp: row - 1,
        ArrowDown: row + 1,
        PageUp: Math.max(0, row - page),
        PageDown: Math.min(places.length - 1, row + page),
        Home: 0,
        End: places.length - 1,
      };
      const target = targets[key];
      if (target !== undefined) return places[target] ?? chosen;
    } else if (key === "ArrowUp") return trace.columns.parent[chosen];
    else if (key === "ArrowDown") return trace.findInner(chosen);
    if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
    if (lanes === undefined)
      return key === "ArrowLeft" ? trace.columns.parent[chosen] : trace.findInner(chosen);
    const lane = lanes.lanes[lanes.laneOf.get(chosen) ?? 0] ?? [];
    return lane[lane.indexOf(chosen) + (key === "ArrowLeft" ? -1 : 1)];
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const middle = chosen >= 0 ? (trace.getFrom(chosen) + trace.getTo(chosen)) / 2 : undefined;
    const { from, to } = seen.current;
    const around = Math.max(from, Math.min(to, middle ?? (from + to) / 2));
    if (event.key === "+" || event.key === "=") zoom(0.5, around);
    else if (event.key === "-") zoom(2, around);
    else if (event.key === "0") look({ from: 0, to: trace.ms });
    else if (event.key === "f" && chosen >= 0) fit(chosen);
    else if (event.shiftKey && event.key === "ArrowLeft") pan(-0.2);
    else if (event.shiftKey && event.key === "ArrowRight") pan(0.2);
    else if (event.key === "Enter" && chosen >= 0) props.open(chosen);
    else {
      const target = move(event.key);
      if (target === undefined) return;
      if (target >= 0) props.choose(target);
    }
    event.preventDefault();
  };
  const onWheel = (event: WheelEvent) => {
    if (event.shiftKey) {
      // Some browsers turn the wheel sideways while the shift key is held.
      if (scroller.current !== null) scroller.current.scrollTop += event.deltaY || event.deltaX;
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan(event.deltaX / 600);
    } else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), toMs(event));
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent) => {
    const held = drag.current;
    const scene = readScene();
    if (held === undefined || scene === undefined || scroller.current === null) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.abs(x) + Math.abs(y) < clickPixels) return;
    held.moved = true;
    held.x = event.clientX;
    held.y = event.clientY;
    pan(-x / (scene.width - getLeft(scene)));
    if (event.pointerType === "mouse") scroller.current.scrollTop -= y;
  };
  return (
    <div class="trace-chart">
      <div
        ref={scroller}
        class="trace-scroll"
        tabIndex={0}
        role="application"
        aria-label={label}
        onKeyDown={onKeyDown}
        onScroll={schedule}
        onWheel={onWheel}
        onPointerDown={(event) => {
          // The scroll bar is beside the rows.
          if (event.button !== 0 || event.offsetX > (scroller.current?.clientWidth ?? 0)) return;
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
          if (event.target instanceof Element) event.target.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={(event) => {
          const held = drag.current;
          drag.current = undefined;
          if (held === undefined || held.moved) return;
          const place = findAt(event);
          if (place >= 0) props.choose(place);
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onDblClick={(event) => {
          const place = findAt(event);
          if (place >= 0) fit(place);
        }}
      >
        <div class="trace-height" style={{ height: `${height}px` }}>
          <canvas ref={canvas} aria-hidden="true" />
        </div>
      </div>
      <p class="trace-hint">
        The wheel zooms, with Shift it scrolls; dragging moves, a double click fits a span. Keys: arrows
        choose, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>F</kbd> fits, <kbd>0</kbd> shows all, <kbd>Enter</kbd>{" "}
        opens.
      </p>
      <div ref={inks} class="trace-inks" aria-hidden="true">
        {inkNames.map((name) => (
          <i key={name} data-ink={name} />
        ))}
      </div>
    </div>
  );
}
