// The durable store of one machine. Apart from the other parts of storage, because it needs threads, files and SQLite.
export type { SqliteStore, SqliteStoreOptions } from './sqlite-store.js';
export { sqliteStore } from './sqlite-store.js';
