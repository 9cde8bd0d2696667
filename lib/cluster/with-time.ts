// Explicit clock and random. Constructors such as `createServer` default to the system's, for users that call them
// directly. Inside a cluster such a default would be a defect: one part would run on real time while the others follow
// the cluster's clock. So this folder calls those constructors only through `withTime`, whose type requires both;
// ESLint refuses a direct call.

/** Options whose `clock` and `random` are required, where they exist. */
export type TimedOptions<O> = O & { readonly [K in Extract<keyof O, 'clock' | 'random'>]-?: NonNullable<O[K]> };

/** Calls a constructor whose clock and random have defaults, with both of them given. */
export function withTime<O, R>(create: (options: O) => R, options: TimedOptions<NoInfer<O>>): R {
  return create(options);
}
