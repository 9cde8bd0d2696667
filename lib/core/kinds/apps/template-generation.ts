// The generation of a DaemonSet's template, in the annotation that took the field's place. Every stored DaemonSet has
// it. As pkg/apis/apps/v1/conversion.go.
import { setOwn } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { DecodeError } from '../../schema/decode-error.js';
import type { DaemonSet } from '../../types/apps-v1.generated.js';
import { readInt64 } from './annotated-number.js';

const annotation = 'deprecated.daemonset.template.generation';

/** Refuses a text that is no number, and rewrites numbers as they are printed. */
export function canonicalTemplateGeneration(annotations: Record<string, string>): void {
  if (!Object.hasOwn(annotations, annotation)) return;
  const generation = readInt64(annotations[annotation] ?? '');
  if (typeof generation !== 'bigint') throw new DecodeError(generation.wrong);
  setOwn(annotations, annotation, String(generation));
}

/** The template's generation; zero if none is noted. */
export function templateGeneration({ metadata }: Frozen<DaemonSet>): bigint {
  const text = metadata?.annotations?.[annotation];
  const generation = text === undefined ? 0n : readInt64(text);
  return typeof generation === 'bigint' ? generation : 0n;
}

/** Notes the template's generation. */
export function setTemplateGeneration(object: DaemonSet, generation: bigint): void {
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations };
  setOwn(metadata.annotations, annotation, String(generation));
}
