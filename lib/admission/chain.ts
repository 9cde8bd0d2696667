// Plugins in their order, as one step. Without plugins it costs nothing.
import { from, lastValueFrom, type ObservableInput } from 'rxjs';
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.js';

/** The two halves of admission. */
export interface AdmissionChain {
  /**
   * Lets all plugins that handle the write change the object, in place. Throws or rejects with a refusal; answers only
   * where there is something to wait for.
   */
  mutate(attributes: AdmissionAttributes): Promise<void> | undefined;
  /** Asks all plugins that handle the write whether it may be, likewise. */
  validate(attributes: AdmissionAttributes): Promise<void> | undefined;
}

/** Runs plugins one after the other; the first refusal ends it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain | undefined {
  if (plugins.length === 0) return undefined;
  const run = (attributes: AdmissionAttributes, ask: Question, first = 0): Promise<void> | undefined => {
    for (let at = first; at < plugins.length; at += 1) {
      const plugin = plugins[at];
      const answer = plugin?.handles(attributes) === true ? ask(plugin, attributes) : undefined;
      if (answer !== undefined)
        return lastValueFrom(from(answer), { defaultValue: undefined }).then(() => run(attributes, ask, at + 1));
    }
    return undefined;
  };
  return {
    mutate: (attributes) => run(attributes, mutation),
    validate: (attributes) => run(attributes, validation),
  };
}

type Question = (plugin: AdmissionPlugin, attributes: AdmissionAttributes) => ObservableInput<unknown> | undefined;

const mutation: Question = (plugin, attributes) => plugin.mutate?.(attributes);
const validation: Question = (plugin, attributes) => plugin.validate?.(attributes);
