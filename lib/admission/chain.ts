// Plugins in their order, as one step. Without plugins it costs nothing.
import { from, lastValueFrom, type ObservableInput } from 'rxjs';
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.js';

/** The two halves of admission. */
export interface AdmissionChain {
  /** Lets all plugins that handle the write change the object, in place. Rejects with a refusal. */
  mutate(attributes: AdmissionAttributes): Promise<void>;
  /** Asks all plugins that handle the write whether it may be. Rejects with a refusal. */
  validate(attributes: AdmissionAttributes): Promise<void>;
}

/** Runs plugins one after the other; the first refusal ends it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain | undefined {
  if (plugins.length === 0) return undefined;
  return {
    async mutate(attributes) {
      for (const plugin of plugins) if (plugin.handles(attributes)) await settled(plugin.mutate?.(attributes));
    },
    async validate(attributes) {
      for (const plugin of plugins) if (plugin.handles(attributes)) await settled(plugin.validate?.(attributes));
    },
  };
}

async function settled(answer: ObservableInput<unknown> | undefined): Promise<void> {
  if (answer !== undefined) await lastValueFrom(from(answer), { defaultValue: undefined });
}
