// Leader election settings with Kubernetes' defaults. As component-base/config/v1alpha1/defaults.go and
// pkg/scheduler/apis/config/v1/defaults.go. Validation is in configuration-validation.ts.
import { canonicalDuration, parseDurationMs } from '../../core/index.js';
import type { LeaderElectionDocument } from './configuration-document.js';

/** The leader election settings of a scheduler. */
export interface LeaderElectionSettings {
  /** Undefined if the document does not set it. Kubernetes then elects; a host with a single scheduler need not. */
  readonly leaderElect: boolean | undefined;
  /** Default 15 s. */
  readonly leaseDurationMs: number;
  /** Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Default 2 s. */
  readonly retryPeriodMs: number;
  /** Default `kube-scheduler`. */
  readonly resourceName: string;
  /** Default `kube-system`. */
  readonly resourceNamespace: string;
}

/** Returns the durations of a document in canonical form; zero means the default. */
export function electionDurations({
  leaseDuration,
  renewDeadline,
  retryPeriod,
}: LeaderElectionDocument): Readonly<Record<'leaseDuration' | 'renewDeadline' | 'retryPeriod', string>> {
  return {
    leaseDuration: durationOr(leaseDuration, '15s'),
    renewDeadline: durationOr(renewDeadline, '10s'),
    retryPeriod: durationOr(retryPeriod, '2s'),
  };
}

/** Fills in the defaults of a document. */
export function completeLeaderElection(document: LeaderElectionDocument): LeaderElectionSettings {
  const { leaderElect, resourceName = '', resourceNamespace = '' } = document;
  const { leaseDuration, renewDeadline, retryPeriod } = electionDurations(document);
  return {
    leaderElect,
    leaseDurationMs: parseDurationMs(leaseDuration),
    renewDeadlineMs: parseDurationMs(renewDeadline),
    retryPeriodMs: parseDurationMs(retryPeriod),
    resourceName: resourceName === '' ? 'kube-scheduler' : resourceName,
    resourceNamespace: resourceNamespace === '' ? 'kube-system' : resourceNamespace,
  };
}

function durationOr(text = '', otherwise: string): string {
  return text === '' || parseDurationMs(text) === 0 ? otherwise : canonicalDuration(text);
}
