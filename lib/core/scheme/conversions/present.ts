// Objects written with all their fields, some of which may be undefined: the types of the API know only absence.

/** T without the keys that hold undefined. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the keys that hold undefined; the others keep their order. */
export function present<T extends object>(fields: T): Present<T>;
export function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
