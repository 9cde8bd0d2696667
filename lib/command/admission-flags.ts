// The flags of admission plugins, with the names and meanings of kube-apiserver's, and the files that they name.
import { dirname, resolve } from 'node:path';
import { enabledAdmissionPlugins, parseAdmissionConfiguration } from '../admission/index.js';
import type { AdmissionConfiguration, AdmissionOptions } from '../admission/index.js';
import { errorText, isJsonObject, parseYaml } from '../core/index.js';
import type { Clock } from '../core/index.js';
import type { CommandEnvironment } from './environment.js';
import { FlagError, commaSeparated, fileName } from './flag-table.js';
import type { FlagTable } from './flag-table.js';
import type { Teardown } from './teardown.js';
import { connectWebhook } from './webhook-connection.js';

/** The enabled admission plugins and their configuration. */
export interface AdmissionFlags {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly configFile?: string;
}

/** The default plugins, without configuration. */
export const admissionDefaults: AdmissionFlags = { enable: [], disable: [] };

/** The table of flags. */
export const admissionFlags: FlagTable<AdmissionFlags> = {
  'enable-admission-plugins': {
    value: 'NAMES',
    help: 'admission plugins to run besides the default ones',
    repeats: true,
    read: (text, said) => ({ ...said, enable: [...said.enable, ...commaSeparated('enable-admission-plugins', text)] }),
  },
  'disable-admission-plugins': {
    value: 'NAMES',
    help: 'default admission plugins not to run',
    repeats: true,
    read: (text, said) => ({
      ...said,
      disable: [...said.disable, ...commaSeparated('disable-admission-plugins', text)],
    }),
  },
  'admission-control-config-file': {
    value: 'FILE',
    help: 'an AdmissionConfiguration',
    read: (text, said) => ({ ...said, configFile: fileName('admission-control-config-file', text) }),
  },
};

/**
 * Reads the files that the flags name, and connects the webhook of one. Rejects with FlagError if one cannot be read or
 * is invalid.
 */
export async function admissionOf(
  { configFile, ...names }: AdmissionFlags,
  environment: CommandEnvironment,
  { clock, teardown }: { readonly clock: Clock; readonly teardown: Teardown },
): Promise<AdmissionOptions> {
  try {
    const enabled = enabledAdmissionPlugins(names);
    if (configFile === undefined) return names;
    const configuration = await readConfiguration(configFile, environment);
    const path = enabled.has(imagePolicy) ? kubeconfigOf(configuration) : '';
    if (path === '') return { ...names, configuration };
    const webhook = await connectWebhook({ path }, { clock });
    teardown.add(() => webhook.close());
    return { ...names, configuration, webhooks: { imagePolicy: webhook.call } };
  } catch (error) {
    throw new FlagError(errorText(error), { cause: error });
  }
}

const imagePolicy = 'ImagePolicyWebhook';

/** The kubeconfig of the service that ImagePolicyWebhook calls; empty for none. */
function kubeconfigOf({ plugins = [] }: AdmissionConfiguration): string {
  const { configuration } = plugins.find(({ name }) => name === imagePolicy) ?? {};
  const settings = isJsonObject(configuration) ? configuration.imagePolicy : undefined;
  const path = isJsonObject(settings) ? settings.kubeConfigFile : undefined;
  return typeof path === 'string' ? path : '';
}

async function readConfiguration(path: string, { readFile }: CommandEnvironment): Promise<AdmissionConfiguration> {
  const { plugins = [], ...document } = await parseAdmissionConfiguration(
    await readFile(path).catch((error: unknown) => {
      throw new Error(`unable to read admission control configuration from "${path}" [${errorText(error)}]`);
    }),
  );
  return {
    ...document,
    plugins: await Promise.all(
      plugins.map(async ({ path: ownPath = '', ...plugin }) => {
        if (plugin.configuration !== undefined || ownPath === '') return plugin;
        const { value, problems } = await parseYaml(await readFile(resolve(dirname(path), ownPath)));
        if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
        return { ...plugin, configuration: value };
      }),
    ),
  };
}
