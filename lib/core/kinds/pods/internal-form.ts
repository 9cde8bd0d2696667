// How Kubernetes prints parts of a pod that it refuses. Inside the API server objects have no JSON names, so that errors
// show every field of the part, under its Go name, absent ones included. Only for the value given to a field error.
// As the types of pkg/apis/core/types.go, in their order.
import type { Frozen } from '../../objects/meta.js';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodResourceClaim, SeccompProfile, SecurityContext } from '../../types/core-v1.generated.js';

/** A reference to a claim. */
export function printedResourceClaim(claim: Frozen<PodResourceClaim>): unknown {
  return {
    Name: claim.name,
    ResourceClaimName: claim.resourceClaimName ?? null,
    ResourceClaimTemplateName: claim.resourceClaimTemplateName ?? null,
  };
}

/** A seccomp profile. */
export function printedSeccompProfile(profile: Frozen<SeccompProfile>): unknown {
  return { Type: profile.type, LocalhostProfile: profile.localhostProfile ?? null };
}

/** The security context of a container. */
export function printedSecurityContext(context: Frozen<SecurityContext>): unknown {
  const { capabilities, seLinuxOptions, windowsOptions, seccompProfile, appArmorProfile } = context;
  return {
    Capabilities: capabilities === undefined ? null : { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null },
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions === undefined ? null : {
      User: seLinuxOptions.user ?? '',
      Role: seLinuxOptions.role ?? '',
      Type: seLinuxOptions.type ?? '',
      Level: seLinuxOptions.level ?? '',
    },
    WindowsOptions: windowsOptions === undefined ? null : {
      GMSACredentialSpecName: windowsOptions.gmsaCredentialSpecName ?? null,
      GMSACredentialSpec: windowsOptions.gmsaCredentialSpec ?? null,
      RunAsUserName: windowsOptions.runAsUserName ?? null,
      HostProcess: windowsOptions.hostProcess ?? null,
    },
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile === undefined ? null : printedSeccompProfile(seccompProfile),
    AppArmorProfile: appArmorProfile === undefined ? null : printedSeccompProfile(appArmorProfile),
  };
}

/** Terms of a node selector. */
export function printedNodeSelectorTerm(term: Frozen<NodeSelectorTerm>): unknown {
  return { MatchExpressions: printedRequirements(term.matchExpressions), MatchFields: printedRequirements(term.matchFields) };
}

function printedRequirements(requirements: readonly Frozen<NodeSelectorRequirement>[] | undefined): unknown {
  return requirements?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null;
}
