import type { App } from "../../app/index.ts";
import { ledgerRemedy } from "../../app/views/index.ts";
import type { ChainHead } from "../../modules/ledger/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { Progress } from "../memory/progress.ts";
import type { Session } from "../session.ts";

/** Verifies the rows since the last verification, or all rows if `all` or an anchor is given, and prints the result. */
export async function verifyLedger(
  session: Session,
  app: App,
  { all, anchor }: { readonly all: boolean; readonly anchor: ChainHead | undefined },
): Promise<void> {
  const { terminal, signal } = session;
  const { ledger, path } = await app.store();
  const progress = new Progress(terminal);
  const onProgress = (rows: number, of: number) =>
    progress.tell(`${rows.toLocaleString("en")} of ${of.toLocaleString("en")} rows`);
  const verify = async () => {
    if (anchor !== undefined) return { ...(await ledger.verify({ signal, anchor })), since: undefined };
    return (await app.records()).verify({ all, onProgress }, signal);
  };
  const found = await verify().finally(() => progress.end());
  if (!found.valid) session.exitCode = exitCodes.failed;
  if (session.asJson) return terminal.json(found);
  const { since } = found;
  if (found.valid) {
    const erased = `, the texts of ${found.erased} ${found.erased === 1 ? "call" : "calls"} erased`;
    const before =
      since === undefined
        ? ""
        : `The rows up to ${since.seq} were checked at ${new Date(since.at).toISOString()}; --verify --all checks them again\n`;
    terminal.out(
      `The ledger is whole: ${found.rows} rows${found.erased === 0 ? "" : erased}\n${before}Its end, for a later --anchor: ${found.head.seq}:${found.head.hash}\n`,
    );
    return;
  }
  const { seq, fault, message } = found.broken;
  terminal.out(
    `The ledger is broken at row ${seq} (${fault}): ${message}\nThe ${found.rows} rows before it are sound\n→ ${ledgerRemedy(path)}\n`,
  );
}
