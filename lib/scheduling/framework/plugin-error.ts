// What went wrong inside a plugin, in the words in which Kubernetes says where.

/** A plugin threw, or answered what it must not. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  readonly plugin: string;

  constructor(plugin: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.plugin = plugin;
  }
}
