// NamespaceExists and NamespaceAutoProvision: a namespace that is missing is an error, or is created. Both are off by
// default; NamespaceLifecycle makes the first superfluous. As plugin/pkg/admission/namespace.
import { errorText, isApiError, notFound } from '../core/index.js';
import type { Namespace } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates NamespaceExists. */
export function namespaceExists(tools: ServerTools): AdmissionPlugin {
  const namespaces = followedResource<Namespace>(tools, resource);
  return {
    name: 'NamespaceExists',
    handles: { operations: ['CREATE', 'UPDATE', 'DELETE'], resources: '*', subresources: '*' },
    validate: async (review) => {
      if (isOutside(review)) return;
      const { namespace } = review;
      if ((await namespaces.find(namespace)) === undefined) throw notFound({ ...resource, name: namespace });
    },
  };
}

/** Creates NamespaceAutoProvision. */
export function namespaceAutoProvision(tools: ServerTools): AdmissionPlugin {
  const namespaces = followedResource<Namespace>(tools, resource);
  return {
    name: 'NamespaceAutoProvision',
    handles: { operations: ['CREATE'], resources: '*', subresources: '*' },
    mutate: async (review) => {
      const { namespace, dryRun } = review;
      if (dryRun || isOutside(review) || (await namespaces.find(namespace)) !== undefined) return undefined;
      try {
        await tools.client.kind('v1', 'Namespace').create({ metadata: { name: namespace } });
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw refusal(review, errorText(error));
      }
      return undefined;
    },
  };
}

const resource = { group: '', resource: 'namespaces' };

function isOutside({ namespace, resource: { group, resource: name } }: AdmissionReview): boolean {
  return namespace === '' || (group === '' && name === 'namespaces');
}
