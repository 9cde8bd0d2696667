// The ConfigMap kube-system/extension-apiserver-authentication: authorities and front-proxy headers with which
// extension servers authenticate as this server does. Servers that share a store add to it and never remove. As
// pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go.
import type { Frozen } from '../../core/index.js';
import type { ConfigMap } from '../../core/types/index.js';

/** The authorities that a server trusts. Certificates are in PEM. */
export interface AuthenticationInfo {
  /** Authorities of client certificates. */
  readonly clientAuthorities?: string;
  readonly requestHeader?: RequestHeaderInfo;
}

/** Trusted front proxies, and the headers in which they name the user. */
export interface RequestHeaderInfo {
  readonly authorities: string;
  readonly allowedNames?: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders?: readonly string[];
  readonly groupHeaders?: readonly string[];
  readonly extraPrefixes?: readonly string[];
}

/** Returns the ConfigMap, merged with the existing one; undefined where there is nothing to publish. */
export function authenticationConfigMap(info: AuthenticationInfo, existing?: Frozen<ConfigMap>): ConfigMap | undefined {
  const data = dataOf(info, existing?.data ?? {});
  if (Object.keys(data).length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...(existing?.metadata as ConfigMap['metadata']),
      name: 'extension-apiserver-authentication',
      namespace: 'kube-system',
    },
    data,
  };
}

type Data = Readonly<Record<string, string>>;

/** The data, with keys in the order in which Kubernetes prints them. */
function dataOf({ clientAuthorities = '', requestHeader }: AuthenticationInfo, existing: Data): Record<string, string> {
  const {
    authorities = '',
    allowedNames = [],
    usernameHeaders = [],
    uidHeaders = [],
    groupHeaders = [],
    extraPrefixes = [],
  } = requestHeader ?? {};
  const list = (key: string, values: readonly string[]): string =>
    JSON.stringify([...new Set([...listOf(existing[key]), ...values])]);
  const clients = certificates(existing['client-ca-file'], clientAuthorities);
  const proxies = certificates(existing['requestheader-client-ca-file'], authorities);
  const uids = list('requestheader-uid-headers', uidHeaders);
  return {
    ...(clients !== '' && { 'client-ca-file': clients }),
    ...(proxies !== '' && {
      'requestheader-allowed-names': list('requestheader-allowed-names', allowedNames),
      'requestheader-client-ca-file': proxies,
      'requestheader-extra-headers-prefix': list('requestheader-extra-headers-prefix', extraPrefixes),
      'requestheader-group-headers': list('requestheader-group-headers', groupHeaders),
      ...(uids !== '[]' && { 'requestheader-uid-headers': uids }),
      'requestheader-username-headers': list('requestheader-username-headers', usernameHeaders),
    }),
  };
}

/** Parses a list of strings; empty where the text is none. */
function listOf(text = '[]'): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Joins bundles without duplicate certificates, older ones first. */
function certificates(...bundles: readonly (string | undefined)[]): string {
  const blocks = bundles.flatMap((bundle = '') => bundle.split(begin).slice(1));
  const all = blocks.map((block) => `${begin}\n${block.split(end, 1).join('').trim()}\n${end}\n`);
  return [...new Set(all)].join('');
}

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
