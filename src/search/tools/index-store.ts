/** Keeps the search index between two starts. What is kept is a copy: it may be lost, and is made anew. */
export interface IndexStore {
  /** The index as it was last saved; undefined: never, or in another form. */
  load(form: string): Promise<Uint8Array | undefined>;
  /** @param form changes with what the bytes mean */
  save(form: string, bytes: Uint8Array): Promise<void>;
}
