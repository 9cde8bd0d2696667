// Type-aware lint. Bans that hold everywhere are here. Bans with a list of exceptions, and what only the tree as a whole
// can show (import direction, unreached files), are in test/tidy.ts and .dependency-cruiser.cjs.
import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', '.build/', '.tap/', 'docs/api/', 'node_modules/', '**/*.generated.ts', 'conformance/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked, rxjsX.configs.strict],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    // No rule can be switched off by a comment.
    linterOptions: { noInlineConfig: true },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      '@typescript-eslint/prefer-literal-enum-member': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      'rxjs-x/no-sharereplay-before-takeuntil': 'error',
      'rxjs-x/no-exposed-subjects': 'error',
      'rxjs-x/no-ignored-subscription': 'error',
      'rxjs-x/throw-error': 'error',
      eqeqeq: 'error',
      // Prettier breaks code; this rule covers comments. Texts that users read stay on one line.
      'max-len': [
        'error',
        { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
        { selector: 'ExportAllDeclaration[exported=null]', message: 'List exported names.' },
      ],
    },
  },
  {
    files: ['lib/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-globals': [
        'error',
        { name: 'structuredClone', message: 'Copy the path that changes: objects are frozen values.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Object', property: 'assign', message: 'Use spread, which never runs a __proto__ setter.' },
      ],
    },
  },
  {
    files: ['lib/cluster/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
        { selector: 'ExportAllDeclaration[exported=null]', message: 'List exported names.' },
        {
          selector:
            'CallExpression[callee.name=/^(createServer|createScheduler|memoryStore|sqliteStore|etcdStore|httpClient|fetchHandler)$/]',
          message: 'Call it through withTime: its clock and random would default to the system’s.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.ts', 'benchmark/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'rxjs-x/no-ignored-subscription': 'off',
      'rxjs-x/no-ignored-error': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // What a program prints is quoted as it is printed.
    files: ['examples/**/*.ts'],
    rules: { 'max-len': 'off' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
