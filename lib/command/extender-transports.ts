// HTTP clients of scheduler extenders, with the certificates of its configuration. TLS without an authority is not
// verified, as in makeTransport of pkg/scheduler/extender.go.
import { nodeTransport } from '../client/node/index.js';
import type { ClientTls, NodeTransport } from '../client/node/index.js';
import type { Transport } from '../client/index.js';
import { decodeBase64 } from '../core/index.js';
import type { Extender } from '../scheduling/index.js';
import type { CommandEnvironment } from './environment.js';

/** The clients of all extenders. */
export interface ExtenderTransports {
  readonly transportOf: (extender: Extender) => Transport;
  /** Closes all connections. */
  readonly close: () => void;
}

/** Creates the clients; no connection is opened before the first call. Rejects if a file cannot be read. */
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
      if (known === undefined) throw new Error(`no connection was prepared for the extender ${extender.urlPrefix}`);
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

/** Inline data takes precedence over files. */
async function pemOf(
  data: string | undefined,
  file: string | undefined,
  { readFile }: CommandEnvironment,
): Promise<string | undefined> {
  if (data !== undefined && data !== '') return new TextDecoder().decode(decodeBase64(data));
  return file === undefined || file === '' ? undefined : readFile(file);
}
