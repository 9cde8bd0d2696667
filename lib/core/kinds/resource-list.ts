// Amounts by resource name, as requests, capacities and quotas hold them.
import { setOwn } from '../objects/json.js';
import { canonicalMilliQuantity } from '../objects/quantity.js';

/** Amounts by resource name. */
export type ResourceList = Record<string, string>;

/** Amounts are kept in whole thousandths: rounds up what is finer. In place. As SetDefaults_ResourceList. */
export function roundResourceList(list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const text = list[name] ?? '0';
    const rounded = canonicalMilliQuantity(text);
    if (rounded !== text) setOwn(list, name, rounded);
  }
}

/** Adds the amounts of another list that this one lacks. In place. */
export function fillResourceList(list: ResourceList, other: Readonly<ResourceList> | undefined): void {
  for (const [name, text] of Object.entries(other ?? {})) if (!Object.hasOwn(list, name)) setOwn(list, name, text);
}
