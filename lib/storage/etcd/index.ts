// The distributed store. Apart from the other parts of storage, because it needs sockets.
export type { EtcdStore, EtcdStoreOptions } from './etcd-store.js';
export { etcdStore } from './etcd-store.js';
