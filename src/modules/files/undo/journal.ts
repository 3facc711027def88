import type { FileStatus, OpenedFile, StagedWrite } from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import type { FileServices } from "../services.ts";
import { encodeFormer, type Former } from "./revision.ts";

/** Up to here former content goes into the store; a larger file stays one, in the undo folder. */
const maxStoredBytes = 256 * 1024;

/** Keeps what each call changes, before it changes it. */
export class Journal {
  readonly #services: FileServices;

  constructor(services: FileServices) {
    this.#services = services;
  }

  /** Puts staged content in place, with the former kept and the change recorded before. */
  async commit(staged: StagedWrite, context: ToolContext): Promise<FileStatus> {
    const { former } = staged;
    for (const path of staged.madeFolders) await this.#record(context, path, null, null);
    await this.#record(
      context,
      staged.path,
      former === undefined
        ? null
        : { former: await this.#keepFile(former, context), mode: former.status.mode },
      staged.hash,
    );
    return staged.commit({ durable: this.#services.durable ?? false });
  }

  async fileRemoval(file: OpenedFile, context: ToolContext): Promise<void> {
    await this.#record(
      context,
      file.path,
      { former: await this.#keepFile(file, context), mode: file.status.mode },
      null,
    );
  }

  async linkRemoval(path: string, target: string, context: ToolContext): Promise<void> {
    await this.#record(context, path, { former: { kind: "link", target }, mode: 0 }, null);
  }

  async madeLink(path: string, target: string, context: ToolContext): Promise<void> {
    await this.#record(context, path, null, linkHash(target));
  }

  /** Returns the name under which the undo folder is to keep the folder. */
  async folderRemoval(path: string, mode: number, context: ToolContext): Promise<string> {
    const name = this.#services.workspace.undo.reserveFolder();
    await this.#record(context, path, { former: { kind: "folder", name }, mode }, null);
    return name;
  }

  async move(from: string, status: FileStatus, to: string, context: ToolContext): Promise<void> {
    const former: Former = { kind: "moved", to, inode: readInode(status) };
    await this.#record(context, from, { former, mode: status.mode }, null);
    await this.#record(context, to, null, null);
  }

  async madeFolder(path: string, context: ToolContext): Promise<void> {
    await this.#record(context, path, null, null);
  }

  /** Records the state of a whole folder or repository, before a call changes it or after. */
  async state(
    path: string,
    former: Extract<Former, { readonly folder: string }>,
    context: ToolContext,
  ): Promise<void> {
    await this.#record(context, path, { former, mode: 0 }, null);
  }

  async #keepFile(file: OpenedFile, { signal }: ToolContext): Promise<Former> {
    if (file.status.size > maxStoredBytes)
      return { kind: "kept", ...(await this.#services.workspace.undo.keepFile(file)) };
    return { kind: "bytes", bytes: await file.bytes(maxStoredBytes, signal) };
  }

  async #record(
    { scope, callId, outerCallId }: ToolContext,
    path: string,
    before: { readonly former: Former; readonly mode: number } | null,
    afterHash: string | null,
  ): Promise<void> {
    const { artifacts, changes } = this.#services;
    const kept =
      before === null
        ? null
        : {
            artifactId: (
              await artifacts.put({
                scope,
                callId,
                kind: "former",
                mimeType: "application/octet-stream",
                data: encodeFormer(before.former),
              })
            ).id,
            mode: before.mode,
          };
    await changes.record({
      scope,
      callId,
      ...(outerCallId !== undefined && { outerCallId }),
      path,
      before: kept,
      afterHash,
    });
  }
}

/** What stays the same when a file or folder is moved within its file system. */
export function readInode({ version }: FileStatus): string {
  return version.split(":", 2).join(":");
}

/** Stands for a link in a change's `afterHash`. */
export function linkHash(target: string): string {
  return `link ${target}`;
}
