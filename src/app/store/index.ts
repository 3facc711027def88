export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { storeSchema } from "./store-schema.ts";
