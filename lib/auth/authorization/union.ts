// Combines authorizers: the first decision to allow or deny is returned. If there is none, the reasons and errors of
// all are joined. A failing authorizer has no opinion. As apiserver/pkg/authorization/union/union.go.
import { aggregateText, errorText, firstOf } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';

/** Calls the authorizers in order. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const union = (attributes: AccessAttributes): readonly Decision[] | Promise<Decision> =>
    decide(authorizers, attributes, { reasons: [], errors: [] });
  union.rules = (user: Frozen<UserInfo>, namespace: string): Promise<AccessRules> =>
    rulesOf(authorizers, user, namespace);
  return union;
}

/** Reasons and errors of authorizers without an opinion. */
interface Said {
  readonly reasons: string[];
  readonly errors: string[];
}

/** Returns synchronously as long as every authorizer does. */
function decide(
  authorizers: readonly Authorizer[],
  attributes: AccessAttributes,
  said: Said,
): readonly Decision[] | Promise<Decision> {
  for (const [at, authorizer] of authorizers.entries()) {
    const opinion = ask(authorizer, attributes);
    if (opinion instanceof Promise) return decideLater(opinion, authorizers.slice(at + 1), attributes, said);
    if (opinion.decision !== 'noOpinion') return [opinion];
    remember(opinion, said);
  }
  return [undecided(said)];
}

async function decideLater(
  pending: Promise<Decision>,
  authorizers: readonly Authorizer[],
  attributes: AccessAttributes,
  said: Said,
): Promise<Decision> {
  const opinion = await pending;
  if (opinion.decision !== 'noOpinion') return opinion;
  remember(opinion, said);
  return firstOf(decide(authorizers, attributes, said), noOpinion);
}

function ask(authorizer: Authorizer, attributes: AccessAttributes): Decision | Promise<Decision> {
  try {
    const opinion = firstOf(authorizer(attributes), noOpinion);
    return opinion instanceof Promise ? opinion.catch(failed) : opinion;
  } catch (error) {
    return failed(error);
  }
}

const noOpinion: Decision = Object.freeze({ decision: 'noOpinion', reason: '' });

function failed(error: unknown): Decision {
  return { decision: 'noOpinion', reason: '', error: errorText(error) };
}

function remember({ reason, error }: Decision, { reasons, errors }: Said): void {
  if (reason !== '') reasons.push(reason);
  if (error !== undefined) errors.push(error);
}

function undecided({ reasons, errors }: Said): Decision {
  if (errors.length === 0)
    return reasons.length === 0 ? noOpinion : { decision: 'noOpinion', reason: reasons.join('\n') };
  return { decision: 'noOpinion', reason: reasons.join('\n'), error: aggregateText(errors) };
}

async function rulesOf(
  authorizers: readonly Authorizer[],
  user: Frozen<UserInfo>,
  namespace: string,
): Promise<AccessRules> {
  const found: AccessRules[] = [];
  for (const authorizer of authorizers) {
    try {
      found.push(await firstOf(authorizer.rules?.(user, namespace) ?? [], unlisted));
    } catch (error) {
      found.push({ ...unlisted, error: errorText(error) });
    }
  }
  const errors = found.flatMap(({ error }) => error ?? []);
  return {
    resourceRules: found.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: found.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: found.some(({ incomplete }) => incomplete),
    ...(errors.length > 0 && { error: aggregateText(errors) }),
  };
}

const unlisted: AccessRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: true });
