// Connections to the extenders of a scheduler, with the certificates that its configuration names. An extender that is
// to be called over TLS without an authority is believed whoever it is. As makeTransport of pkg/scheduler/extender.go.
import { nodeTransport } from '../client/node/index.js';
import type { ClientTls, NodeTransport } from '../client/node/index.js';
import type { Transport } from '../client/index.js';
import { decodeBase64 } from '../core/index.js';
import type { Extender } from '../scheduling/index.js';
import type { CommandEnvironment } from './environment.js';

/** The connections. */
export interface ExtenderTransports {
  readonly transportOf: (extender: Extender) => Transport;
  /** Closes all of them. */
  readonly close: () => void;
}

/** Prepares connections; none is made before the first call. Rejects where a file cannot be read. */
export async function extenderTransports(
  extenders: readonly Extender[],
  environment: CommandEnvironment,
): Promise<ExtenderTransports> {
  const tls = await Promise.all(extenders.map((extender) => tlsOf(extender, environment)));
  const transports = new Map<Extender, NodeTransport>(
    extenders.map((extender, index) => [extender, nodeTransport(tls[index])]),
  );
  return {
    transportOf: (extender) => {
      const known = transports.get(extender);
      if (known === undefined) throw new Error(`nobody prepared a way to the extender ${extender.urlPrefix}`);
      return known.transport;
    },
    close: () => {
      for (const { close } of transports.values()) close();
    },
  };
}

async function tlsOf(
  { enableHTTPS = false, tlsConfig = {} }: Extender,
  environment: CommandEnvironment,
): Promise<ClientTls> {
  const { insecure = false, serverName = '', caFile, caData, certFile, certData, keyFile, keyData } = tlsConfig;
  const authorities = await pemOf(caData, caFile, environment);
  const certificate = await pemOf(certData, certFile, environment);
  const key = await pemOf(keyData, keyFile, environment);
  return {
    insecure: insecure || (enableHTTPS && authorities === undefined),
    ...(serverName !== '' && { serverName }),
    ...(authorities !== undefined && { authorities }),
    ...(certificate !== undefined && key !== undefined && { certificate: { certificate, key } }),
  };
}

/** What stands in the configuration itself counts before what it names. */
async function pemOf(
  data: string | undefined,
  file: string | undefined,
  { readFile }: CommandEnvironment,
): Promise<string | undefined> {
  if (data !== undefined && data !== '') return new TextDecoder().decode(decodeBase64(data));
  return file === undefined || file === '' ? undefined : readFile(file);
}
