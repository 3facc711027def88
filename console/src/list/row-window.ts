import { type ReadonlySignal, signal } from "@preact/signals";
import { getErrorMessage } from "../../../src/base/index.ts";
import type { Axis, ListRow, PageStart } from "./axis.ts";

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly head: number;
  /** Whether there are more rows in the direction of the page. */
  readonly more: boolean;
}

/** The loaded rows, newest first and without gaps, and their place in the scrolled area. */
export interface WindowState<Row> {
  readonly rows: readonly Row[];
  /** Distance of the first row from the top of the area, in pixels. */
  readonly top: number;
  /** Whether the first row is the newest of all, and the last one the oldest. */
  readonly atNewest: boolean;
  readonly atOldest: boolean;
  /** Height of the whole scrolled area, in pixels. */
  readonly height: number;
  readonly fault: Error | undefined;
  /** False until the first page of rows or the first fault. */
  readonly loaded: boolean;
}

/** The visible part of the scrolled area, in pixels. */
export interface Viewport {
  scrollTop: number;
  readonly height: number;
}

/** Height limit of the area. Browsers limit elements, too: Firefox to 17.9 million pixels. */
const mostPixels = 8_000_000;
const pageRows = 80;
const mostRows = 480;
/** Distance from the visible part at which rows are loaded, in pixels. */
const ahead = 600;

interface Options<Row> {
  readonly load: (start: PageStart, limit: number, signal: AbortSignal) => Promise<RowPage<Row>>;
  readonly getRowHeight: () => number;
  readonly getViewport: () => Viewport;
  /** Scrolls the area. */
  readonly setScrollTop: (pixels: number) => void;
}

/**
 * Loads the rows around the visible part of a list of any length. Near the loaded rows it adds the next page; far from
 * them it starts again at the row that the axis gives for that height.
 */
export class RowWindow<Row extends ListRow> {
  readonly #options: Options<Row>;
  readonly #state = signal<WindowState<Row>>({
    rows: [],
    top: 0,
    atNewest: false,
    atOldest: false,
    height: 0,
    fault: undefined,
    loaded: false,
  });
  #axis: Axis | undefined;
  #running: AbortController | undefined;
  #jumping = false;

  constructor(options: Options<Row>) {
    this.#options = options;
  }

  get state(): ReadonlySignal<WindowState<Row>> {
    return this.#state;
  }

  /** Loads the newest rows. False if that failed, or if another load began meanwhile. */
  async open(): Promise<boolean> {
    return this.#run(async (signal) => {
      const page = await this.#options.load({ toward: "older" }, pageRows, signal);
      signal.throwIfAborted();
      const rowHeight = this.#options.getRowHeight();
      this.#set({
        rows: page.rows,
        top: 0,
        atNewest: true,
        atOldest: !page.more,
        height: page.rows.length * rowHeight,
        loaded: true,
        fault: undefined,
      });
      this.#options.setScrollTop(0);
    });
  }

  /** Sets the axis. A list that is loaded whole needs none. */
  setAxis(axis: Axis): void {
    this.#axis = axis;
    if (this.#isWhole()) return;
    const needed = Math.ceil(axis.rows) * this.#options.getRowHeight();
    this.#set({ height: Math.min(mostPixels, Math.max(needed, this.#bottom() + ahead)) });
    this.look();
  }

  /** Loads rows that are missing in or near the visible part. */
  look(): void {
    const { rows, top, atNewest, atOldest, loaded } = this.#state.value;
    if (!loaded) return;
    const { scrollTop, height } = this.#options.getViewport();
    const bottom = this.#bottom();
    const isFar = rows.length === 0 || scrollTop > bottom + height || scrollTop + height < top - height;
    if (isFar && this.#axis !== undefined) {
      if (!this.#jumping) void this.#jump();
      return;
    }
    if (this.#running !== undefined) return;
    const last = rows.at(-1);
    const first = rows[0];
    if (!atOldest && last !== undefined && scrollTop + height + ahead > bottom)
      void this.#extend({ toward: "older", before: last.seq });
    else if (!atNewest && first !== undefined && scrollTop - ahead < top)
      void this.#extend({ toward: "newer", after: first.seq });
  }

  /** Moves the loaded rows to where the axis says they belong. Called when scrolling has ended. */
  settle(): void {
    const { rows, top, atNewest, atOldest, height } = this.#state.value;
    const seen = this.#options.getViewport();
    if (this.#axis === undefined || rows.length === 0 || this.#isWhole()) return;
    const rowHeight = this.#options.getRowHeight();
    const firstSeen = rows[Math.floor((seen.scrollTop - top) / rowHeight)];
    if (firstSeen === undefined) return;
    const wanted = atNewest
      ? seen.scrollTop - top
      : atOldest
        ? seen.scrollTop + height - this.#bottom()
        : this.#axis.locate(firstSeen) * (height - seen.height);
    const by = Math.round(wanted - seen.scrollTop);
    if (Math.abs(by) < (atNewest || atOldest ? 1 : 2 * rowHeight)) return;
    this.#set({ top: top + by });
    this.#options.setScrollTop(seen.scrollTop + by);
  }

  /** Adds rows that are newer than all loaded ones. */
  prepend(fresh: readonly Row[]): void {
    const { rows, atNewest, height } = this.#state.value;
    const newest = rows[0]?.seq ?? 0;
    const added = fresh.filter(({ seq }) => seq > newest);
    if (!atNewest || added.length === 0) return;
    const pixels = added.length * this.#options.getRowHeight();
    const seen = this.#options.getViewport();
    const kept = [...added, ...rows].slice(0, mostRows);
    this.#set({
      rows: kept,
      height: Math.min(mostPixels, height + pixels),
      atOldest: this.#state.value.atOldest && kept.length === added.length + rows.length,
    });
    // At the top the new rows come into view; further down the visible rows stay where they are.
    if (seen.scrollTop > 0) this.#options.setScrollTop(seen.scrollTop + pixels);
  }

  /** Replaces rows that changed. */
  replace(changed: ReadonlyMap<number, Row>): void {
    this.#set({ rows: this.#state.value.rows.map((row) => changed.get(row.seq) ?? row) });
  }

  close(): void {
    this.#running?.abort();
  }

  async #jump(): Promise<void> {
    this.#jumping = true;
    const done = await this.#run(async (signal) => {
      const axis = this.#axis;
      if (axis === undefined) return;
      const seen = this.#options.getViewport();
      const { height } = this.#state.value;
      const fraction = Math.min(1, Math.max(0, seen.scrollTop / Math.max(1, height - seen.height)));
      const isEnd = fraction > 0.9999;
      const page = await this.#options.load(
        isEnd ? { toward: "newer", after: 0 } : { toward: "older", ...axis.start(fraction) },
        pageRows,
        signal,
      );
      signal.throwIfAborted();
      const rows = isEnd ? page.rows.toReversed() : page.rows;
      const rowHeight = this.#options.getRowHeight();
      const atOldest = isEnd || !page.more;
      this.#set({
        rows,
        top: atOldest ? height - rows.length * rowHeight : seen.scrollTop,
        atNewest: isEnd ? !page.more : fraction === 0,
        atOldest,
        fault: undefined,
      });
    });
    this.#jumping = false;
    // A failed load is repeated only when somebody scrolls or asks for it, so that it does not repeat forever.
    if (done) this.look();
  }

  async #extend(start: PageStart): Promise<void> {
    const done = await this.#run(async (signal) => {
      const page = await this.#options.load(start, pageRows, signal);
      signal.throwIfAborted();
      const { rows, top, atNewest, atOldest } = this.#state.value;
      const rowHeight = this.#options.getRowHeight();
      if (start.toward === "older") {
        const all = [...rows, ...page.rows];
        const dropped = Math.max(0, all.length - mostRows);
        this.#set({
          rows: all.slice(dropped),
          top: top + dropped * rowHeight,
          atNewest: atNewest && dropped === 0,
          atOldest: !page.more,
          fault: undefined,
        });
      } else {
        const all = [...page.rows.toReversed(), ...rows];
        const kept = all.slice(0, mostRows);
        this.#set({
          rows: kept,
          top: top - page.rows.length * rowHeight,
          atNewest: !page.more,
          atOldest: atOldest && kept.length === all.length,
          fault: undefined,
        });
      }
      this.#keepInReach();
    });
    if (done) this.look();
  }

  /** Keeps every row within the area that can be scrolled to. */
  #keepInReach(): void {
    const { top, height, atOldest } = this.#state.value;
    if (this.#isWhole()) {
      const seen = this.#options.getViewport();
      const rows = this.#state.value.rows.length * this.#options.getRowHeight();
      this.#set({ top: 0, height: rows });
      if (top !== 0) this.#options.setScrollTop(seen.scrollTop - top);
    } else if (this.#axis === undefined) this.#set({ height: this.#bottom() + (atOldest ? 0 : ahead) });
    else if (top < 0 || this.#bottom() > height) this.settle();
  }

  #isWhole(): boolean {
    const { atNewest, atOldest } = this.#state.value;
    return atNewest && atOldest;
  }

  #bottom(): number {
    const { rows, top } = this.#state.value;
    return top + rows.length * this.#options.getRowHeight();
  }

  /** Runs one load at a time: a new one cancels the one before. */
  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.#running?.abort();
    const run = new AbortController();
    this.#running = run;
    try {
      await work(run.signal);
      return true;
    } catch (error) {
      if (!run.signal.aborted)
        this.#set({
          fault: error instanceof Error ? error : new Error(getErrorMessage(error)),
          loaded: true,
        });
      return false;
    } finally {
      if (this.#running === run) this.#running = undefined;
    }
  }

  #set(change: Partial<WindowState<Row>>): void {
    this.#state.value = { ...this.#state.value, ...change };
  }
}
