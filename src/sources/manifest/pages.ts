import type { Fields } from "../fields.ts";
import type { Place } from "../placed-document.ts";
import type { Problems } from "../problems.ts";

export interface NavigationItem {
  readonly label: string;
  readonly icon: string | undefined;
  /** The path from the root of the space. */
  readonly to: string;
  readonly order: number | undefined;
  readonly children: readonly NavigationItem[];
  readonly place: Place;
}

export interface Page {
  /** The path of its file, without the ending. */
  readonly path: string;
  readonly label: string;
  readonly isDefault: boolean;
  readonly toolbar: readonly ToolbarItem[];
  readonly breadcrumb: boolean;
  readonly layout: "split" | "full";
}

export interface ToolbarItem {
  readonly id: string;
  readonly icon: string;
  readonly label: string | undefined;
  /** `reload`, `export_pdf`, `copy`, `search`, or the id of a tool. */
  readonly action: string | undefined;
  readonly tool: string | undefined;
  /** Asked before it is done. */
  readonly confirm: string | undefined;
  readonly group: string | undefined;
}

const mostItems = 200;
const mostDepth = 5;

export function readNavigation(fields: Fields, key = "navigation", depth = 1): readonly NavigationItem[] {
  return fields.objects(key, mostItems).flatMap((one) => {
    const label = one.text("label", { required: true, most: 200 });
    const icon = one.text("icon", { most: 200 });
    const to = one.text("to", { required: true, most: 500 });
    const order = one.number("order", { least: -1_000_000, most: 1_000_000 });
    const children = depth < mostDepth ? readNavigation(one, "children", depth + 1) : [];
    one.refuseOthers();
    if (label === undefined || to === undefined) return [];
    return [{ label, icon, to, order, children, place: one.findPlace("to") }];
  });
}

export function readPages(fields: Fields): readonly Page[] {
  const paths = new Set<string>();
  return fields.objects("pages", mostItems).flatMap((one) => {
    const path = one.text("path", {
      required: true,
      most: 500,
      pattern: /^(?!.*(?:^|\/)\.\.?(?:\/|$))[^/\\][^\\]*$/,
      form: "a path from the folder of the pages, without a step up and without the ending of the file",
    });
    const label = one.text("label", { required: true, most: 200 });
    const isDefault = one.flag("default") ?? false;
    const toolbar = readToolbar(one);
    const breadcrumb = one.flag("breadcrumb") ?? true;
    const layout = one.oneOf("layout", ["split", "full"] as const) ?? "full";
    one.refuseOthers();
    if (path === undefined || label === undefined) return [];
    if (paths.has(path)) one.invalid("path", "there is another page of this path; choose another one");
    paths.add(path);
    return [{ path, label, isDefault, toolbar, breadcrumb, layout }];
  });
}

function readToolbar(fields: Fields): readonly ToolbarItem[] {
  return fields.objects("toolbar", 50).flatMap((one) => {
    const id = one.text("id", { required: true, most: 200 });
    const icon = one.text("icon", { required: true, most: 200 });
    const label = one.text("label", { most: 200 });
    const action = one.text("action", { most: 200 });
    const tool = one.text("tool", { most: 200 });
    const confirm = one.text("confirm", { most: 1000 });
    const group = one.text("group", { most: 200 });
    one.refuseOthers();
    if (id === undefined || icon === undefined) return [];
    return [{ id, icon, label, action, tool, confirm, group }];
  });
}

/** Every way through the space has to lead to a page, if the manifest has any. */
export function refuseLostLinks(
  navigation: readonly NavigationItem[],
  pages: readonly Page[],
  problems: Problems,
): void {
  if (pages.length === 0) return;
  for (const { to, place, children } of navigation) {
    if (!leadsToPage(to, pages))
      problems.error(
        "PAGE_NOT_FOUND",
        `Cannot find the page of "${to}": the pages are ${pages.map(({ path }) => path).join(", ")}; name one of them, or add it`,
        place,
      );
    refuseLostLinks(children, pages, problems);
  }
}

/** `/` is the page that says `default`, or the one named `index`. */
function leadsToPage(to: string, pages: readonly Page[]): boolean {
  const path = to.replace(/[?#].*$/, "").replace(/^\/+|\/+$/g, "");
  if (path === "") return pages.some((page) => page.isDefault || page.path === "index");
  return pages.some((page) => page.path === path || page.path === `${path}/index`);
}
