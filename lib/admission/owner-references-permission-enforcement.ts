// OwnerReferencesPermissionEnforcement: owner references decide what the garbage collector deletes, so changing them
// needs the right to delete the object, and blocking the deletion of an owner the right to update its finalizers.
// As plugin/pkg/admission/gc/gc_admission.go.
import { deepEqual, errorText, firstOf, parseGroupVersion, restMapperOf } from '../core/index.js';
import type { ApiObject, Frozen, OwnerReference, RestMapper, Scheme } from '../core/index.js';
import type { AccessAttributes, Decision, ServerTools } from '../auth/index.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

type References = readonly Frozen<OwnerReference>[];

/** Creates the plugin. */
export function ownerReferencesPermissionEnforcement(
  tools: Pick<ServerTools, 'authorizer' | 'kinds'>,
): AdmissionPlugin {
  const decide = async (attributes: AccessAttributes): Promise<Decision> =>
    firstOf<Decision>(tools.authorizer()(attributes), { decision: 'noOpinion', reason: '' });
  const mapperOf = mapperByScheme();
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: { operations: ['CREATE', 'UPDATE'], resources: '*', subresources: '*' },
    validate: (review) => {
      const [present, old] = [referencesOf(review.object), referencesOf(review.oldObject)];
      if (isStatusOfPod(review) || deepEqual(present, old)) return undefined;
      return check(review, newlyBlocking(present, old));
    },
  };

  async function check(review: AdmissionReview, blocking: References): Promise<void> {
    if (review.operation !== 'CREATE') await requireDelete(review);
    if (blocking.length === 0) return;
    const anything = attributesOf(review, { group: '*', version: '*', resource: '*', name: '*' });
    if ((await decide(anything)).decision === 'allow') return;
    for (const reference of blocking) await requireFinalizers(review, reference);
  }

  async function requireDelete(review: AdmissionReview): Promise<void> {
    const { resource, subresource, namespace, name } = review;
    const decision = await decide({
      ...attributesOf(review, { ...resource, name }),
      verb: 'delete',
      subresource,
      namespace,
    });
    if (decision.decision !== 'allow')
      throw refusal(review, `cannot set an ownerRef on a resource you can't delete: ${printed(decision)}`);
  }

  async function requireFinalizers(
    review: AdmissionReview,
    { apiVersion, kind, name }: Frozen<OwnerReference>,
  ): Promise<void> {
    const decision = await decide(attributesOf(review, { ...ownerResource(), name }));
    if (decision.decision !== 'allow')
      throw refusal(
        review,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${printed(decision)}`,
      );

    function ownerResource(): Pick<AccessAttributes, 'group' | 'version' | 'resource' | 'namespace'> {
      try {
        const { group, version } = parseGroupVersion(apiVersion);
        const owner = mapperOf(tools.kinds.current).kind({ group, kind }, [version]);
        // A namespaced owner is in the namespace of the object.
        return { ...owner, namespace: owner.namespaced ? review.namespace : '' };
      } catch (error) {
        throw refusal(
          review,
          `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${errorText(error)}`,
        );
      }
    }
  }
}

/** Kubelets of old versions corrupt the references there, and the server ignores them. */
function isStatusOfPod({ resource: { group, resource }, subresource }: AdmissionReview): boolean {
  return group === '' && resource === 'pods' && subresource === 'status';
}

function referencesOf(object: Frozen<ApiObject> | undefined): References {
  return object?.metadata?.ownerReferences ?? [];
}

/** The references that block, and did not before. */
function newlyBlocking(present: References, old: References): References {
  const blocked = new Map(old.map(({ uid, blockOwnerDeletion = false }) => [uid, blockOwnerDeletion]));
  return present.filter(({ uid, blockOwnerDeletion = false }) => blockOwnerDeletion && blocked.get(uid) !== true);
}

/** The right to update the finalizers of something. */
function attributesOf(
  { user }: AdmissionReview,
  of: Pick<AccessAttributes, 'group' | 'version' | 'resource' | 'name'> & { readonly namespace?: string },
): AccessAttributes {
  const { group, version, resource, name, namespace = '' } = of;
  return {
    user,
    verb: 'update',
    isResource: true,
    path: '',
    group,
    version,
    resource,
    subresource: 'finalizers',
    namespace,
    name,
  };
}

function printed({ reason, error }: Decision): string {
  return `${reason}, ${error ?? '<nil>'}`;
}

/** The mapper of the last scheme: making one costs as much as there are kinds. */
function mapperByScheme(): (scheme: Scheme) => RestMapper {
  let last: { readonly scheme: Scheme; readonly mapper: RestMapper } | undefined;
  return (scheme) => {
    if (last?.scheme !== scheme) last = { scheme, mapper: restMapperOf(scheme) };
    return last.mapper;
  };
}
