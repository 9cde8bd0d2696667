// How nodes are printed. As printNode in pkg/printers/internalversion/printers.go.
import type { Frozen } from '../../objects/meta.js';
import type { Node } from '../../types/core-v1.generated.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

/** The table of Nodes. */
export const nodeTable: KindTable<Node> = {
  columns: [
    nameColumn,
    textColumn('Status', 'Whether the node is ready and takes new pods.'),
    textColumn('Roles', 'What the node is for, by its labels.'),
    ageColumn,
    textColumn('Version', 'The version of the kubelet.'),
    textColumn('Internal-IP', 'Its address inside the cluster.', 1),
    textColumn('External-IP', 'Its address outside the cluster.', 1),
    textColumn('OS-Image', 'Its operating system.', 1),
    textColumn('Kernel-Version', 'Its kernel and architecture.', 1),
    textColumn('Container-Runtime', 'What runs its containers.', 1),
  ],
  row: (node, now) => {
    const info = node.status?.nodeInfo;
    return {
      cells: [
        node.metadata?.name ?? '',
        printStatus(node),
        printRoles(node),
        age(node, now),
        info?.kubeletVersion ?? '',
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        known(info?.osImage),
        known(info?.kernelVersion) + (known(info?.architecture) === unknown ? '' : ` (${info?.architecture})`),
        known(info?.containerRuntimeVersion),
      ],
    };
  },
};

const unknown = '<unknown>';

function known(text: string | undefined): string {
  return text === undefined || text === '' ? unknown : text;
}

/** The last condition of a type counts. */
function printStatus({ spec, status }: Frozen<Node>): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function printRoles({ metadata }: Frozen<Node>): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role') roles.add(value);
  }
  roles.delete('');
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

const rolePrefix = 'node-role.kubernetes.io/';

function addressOf({ status }: Frozen<Node>, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}
