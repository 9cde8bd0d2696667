// Files of fewer than 45 lines with one importer that stay files of their own: contracts and tables, each with its
// reason. A path is that of the file, of its importer if that is a table with one file per row, or of a folder.

/** The reasons by path. */
export const smallFiles: Readonly<Record<string, string>> = {
  'lib/core/kinds/': 'One file per kind or rule of kinds, and one table of kinds per group.',
  'lib/core/quota/quota-usage.ts': 'The table of quota evaluators: one file per resource.',
  'lib/cel/libraries/environments.ts': 'The table of libraries: one file per library.',
  'lib/cel/evaluate/plan.ts': 'The table of nodes: one file per group of nodes.',
  'lib/admission/': 'One file per plugin or rule that plugins share; built-in-plugins.ts is their table.',
  'lib/scheduling/plugins/default-plugins.ts': 'The table of scheduler plugins: one file per plugin.',
};
