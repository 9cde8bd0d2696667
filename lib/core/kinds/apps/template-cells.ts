// What tables of workloads say about the pods they make: containers, images and the selector, in columns shown on
// request. As pkg/printers/internalversion/printers.go, layoutContainerCells, and metav1.FormatLabelSelector.
import { printLabelSelector } from '../../objects/label-selector.js';
import type { Frozen } from '../../objects/meta.js';
import type { PodTemplateSpec } from '../../types/core-v1.generated.js';
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import type { TableColumn } from '../kind-table.js';
import { textColumn } from '../table-cells.js';
import { readSelector } from './template-validation.js';

/** Names and images of the template's containers. */
export const containerColumns: readonly TableColumn[] = [
  textColumn('Containers', 'The containers of the template.', 1),
  textColumn('Images', 'The images of the containers.', 1),
];

/** Which pods are meant. */
export const selectorColumn: TableColumn = textColumn('Selector', 'The pods that belong to the object.', 1);

/** The cells under `containerColumns`. */
export function containerCells(
  template: Frozen<PodTemplateSpec> | undefined,
): readonly [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** The cell under `selectorColumn`. */
export function selectorCell(selector: Frozen<LabelSelector> | undefined): string {
  const read = readSelector(selector);
  if (read === undefined) return '<error>';
  return printLabelSelector(read) || '<none>';
}

/** A map of labels as one cell: `a=b,c=d`. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}
