/**
 * The drawing of DESIGN.md as a check: an entry names the folders that a folder of lib/ may import, besides itself
 * and core. Everything else between folders is refused, as are cycles, `node:` in the engine, and imports that reach
 * past another folder's index.
 */
const mayImport = {
  core: [],
  storage: [],
  cacher: ['storage'],
  webhook: [],
  pki: [],
  auth: ['cel', 'client', 'webhook', 'pki'],
  cel: [],
  admission: ['auth', 'cel', 'client', 'webhook'],
  client: [],
  server: ['auth', 'admission', 'cacher', 'cel', 'storage', 'client', 'webhook', 'pki'],
  command: [
    'cluster',
    'server',
    'storage',
    'client',
    'auth',
    'admission',
    'cacher',
    'webhook',
    'pki',
    'controllers',
    'scheduling',
  ],
  cluster: [
    'server',
    'storage',
    'client',
    'auth',
    'pki',
    'admission',
    'controllers',
    'scheduling',
    'nodeagent',
    'webhook',
    'cel',
  ],
  controllers: ['cel', 'client'],
  scheduling: ['cel', 'client'],
  nodeagent: ['client'],
  network: ['client'],
};
const folders = Object.keys(mayImport);

/** Folders that run in a browser; the others hold the adapters to Node. */
const engine = [
  'core',
  'cel',
  'cacher',
  'webhook',
  'auth',
  'admission',
  'client',
  'controllers',
  'scheduling',
  'nodeagent',
];

const direction = folders.map((folder) => ({
  name: `${folder}-imports-only-what-the-drawing-allows`,
  severity: 'error',
  from: { path: `^lib/${folder}/` },
  to: { path: '^lib/', pathNot: ['core', folder, ...mayImport[folder]].map((allowed) => `^lib/${allowed}/`) },
}));

const throughTheIndex = folders.map((folder) => ({
  name: `${folder}-is-entered-by-its-index`,
  severity: 'error',
  from: { path: '^lib/', pathNot: [`^lib/${folder}/`] },
  to: {
    path: `^lib/${folder}/`,
    pathNot: [
      `^lib/${folder}/index\\.ts$`,
      '^lib/core/types/index\\.ts$',
      '^lib/(storage|server|client|auth|webhook|cluster|cel)/[a-z]+/index\\.ts$',
    ],
  },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^lib/' }, to: {} },
    {
      name: 'no-node-in-the-engine',
      severity: 'error',
      from: {
        path: engine.map((folder) => `^lib/${folder}/`),
        pathNot: '^lib/((client|auth|webhook)/node|nodeagent/(process|cri))/',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-the-adapter-of-the-server-knows-node',
      severity: 'error',
      from: { path: '^lib/server/', pathNot: '^lib/server/node/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-adapters-import-pki',
      comment: 'lib/pki uses node:crypto as a whole, so what runs in a browser must not import it.',
      severity: 'error',
      from: { path: '^lib/', pathNot: ['^lib/pki/', '^lib/command/', '^lib/(auth|server|cluster)/node/'] },
      to: { path: '^lib/pki/' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-unknown', 'npm-no-pkg', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'nothing-imports-testing',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/testing/' },
      to: { path: '^lib/testing/' },
    },
    {
      name: 'only-the-composition-root-knows-every-folder',
      severity: 'error',
      from: { path: '^lib/[^/]+/', pathNot: ['^lib/simulation/', '^lib/testing/', '^lib/command/', '^lib/cluster/'] },
      to: { path: '^lib/(cluster/|index\\.ts$)' },
    },
    ...direction,
    ...throughTheIndex,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
