// Has a volume made for a claim. That is the business of others, who watch for claims that name them; here the claim is
// told whom it waits for. Of the plugins that Kubernetes still has built in none makes volumes, unless it is told to on
// its command line, which this engine has no word for. As provisionClaim in pv_controller.go.
import { classOfClaim, driverInPlaceOf, namespacedName, quote } from '../../core/index.js';
import { provisionerAnnotation, provisionerBetaAnnotation } from './migration.js';
import { tellOfClaim, writeClaim } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim } from './storage.js';

/** Asks the provisioner of the claim's class, or says why nobody can be asked. */
export async function provision(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const className = classOfClaim(claim);
  const named = storage.classes.get(className)?.provisioner;
  const problem = named === undefined ? `storageclass.storage.k8s.io ${quote(className)} not found` : problemOf(named);
  if (named === undefined || problem !== undefined) {
    tellOfClaim(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: problem ?? '' }, storage);
    return undefined;
  }
  const provisioner = driverInPlaceOf(named) ?? named;
  const annotations = claim.metadata.annotations ?? {};
  const isAsked = annotations[provisionerAnnotation] === provisioner;
  if (!isAsked)
    await writeClaim(
      {
        ...claim,
        metadata: {
          ...claim.metadata,
          annotations: {
            ...annotations,
            [provisionerBetaAnnotation]: provisioner,
            [provisionerAnnotation]: provisioner,
          },
        },
      },
      storage,
    );
  tellOfClaim(claim, { type: 'Normal', reason: 'ExternalProvisioning', message: waitingFor(provisioner) }, storage);
  return isAsked ? undefined : { type: 'awaited', claim: namespacedName(claim), provisioner };
}

/** Why a provisioner that a class names makes nothing. */
function problemOf(provisioner: string): string | undefined {
  if (!provisioner.startsWith('kubernetes.io/') || driverInPlaceOf(provisioner) !== undefined) return undefined;
  if (provisioner === 'kubernetes.io/host-path')
    return `Failed to create provisioner: provisioning in volume plugin ${quote(provisioner)} is disabled`;
  return provisioner === 'kubernetes.io/nfs'
    ? 'no provisionable volume plugin matched'
    : `no volume plugin matched name: ${provisioner}`;
}

function waitingFor(provisioner: string): string {
  return `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
}
