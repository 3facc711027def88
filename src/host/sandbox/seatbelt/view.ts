import type { EncloseRequest } from "../enclosing.ts";
import {
  findHome,
  homeRoots,
  neededOfHomes,
  programFolders,
  readableSystemSecrets,
} from "../mounts/homes.ts";
import { protectedPlaces, secretsOfHomes, writableFolders } from "../mounts/view.ts";
import { canonical, canonicalPlace, contains, outermost } from "../places.ts";
import type { SeatbeltView } from "./profile.ts";

export interface SeatbeltViewOptions {
  readonly request: Pick<EncloseRequest, "bounds" | "cwd" | "environment">;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  readonly temporary: string;
  readonly proxyPort: number | undefined;
}

/** Folders of a Mac, beside homes, that hold what is nobody else's business: temporary files, disks and shared folders. */
const othersPlaces = ["/private/tmp", "/private/var/tmp", "/private/var/folders", "/Volumes", "/Network"];

/** What a command sees: the system; of homes and temporary files what is asked for, and the programs of `PATH`. */
export function planSeatbeltView(options: SeatbeltViewOptions): SeatbeltView {
  const { request, temporary, proxyPort } = options;
  const { bounds, cwd, environment } = request;
  const hidden = options.hidden.map(canonicalPlace);
  const isHidden = (path: string) => hidden.some((one) => contains(one, path));
  const asked = [...writableFolders(bounds), temporary].filter((path) => !isHidden(path) && path !== "/");
  const homes = homeRoots(environment);
  const folder = bounds.seesFolder === false ? [] : [cwd];
  const programs = programFolders(environment);
  const strays = programs.filter(
    (path) => findHome(path, homes) === undefined && !othersPlaces.includes(path),
  );
  const needed = [...neededOfHomes(environment, { roots: homes, programs }), ...strays];
  const readable = outermost([...(bounds.readable ?? []), ...folder, ...needed]).filter(
    (path) => !isHidden(path) && path !== "/",
  );
  const decided = [...bounds.writable, ...(bounds.changed ?? []), ...(bounds.readable ?? []), ...folder];
  const named = new Set(decided.flatMap((path) => canonical(path) ?? []));
  const secrets = [
    ...secretsOfHomes({ needed, shown: [...readable, ...asked], homes, environment }),
    ...readableSystemSecrets(),
  ].filter((path) => !named.has(path));
  const places = protectedPlaces(asked, homes, options.protected).map(({ path }) => path);
  return {
    writable: asked,
    protected: Array.from(new Set(places.flatMap((path) => [path, canonicalPlace(path)]))),
    closed: Array.from(new Set([...homes, ...othersPlaces])),
    readable,
    hidden: Array.from(new Set([...options.hidden, ...hidden, ...secrets])),
    temporary,
    proxyPort,
  };
}
