/**
 * Who may import whom. A room may import itself and what its line allows; only the process entries
 * (main.ts and the folder main/) and tests put concrete things together.
 */
const allowed = {
  'core/model': [],
  'core/ports': ['core/model'],
  'core/data': ['core/model'],
  'core/services': ['core/'],
  engine: ['core/model', 'core/ports'],
  ivr: ['core/'],
  sip: ['core/'],
  jobs: ['core/'],
  adapters: ['core/model', 'core/ports'],
  api: ['core/'],
  cli: ['core/'],
  // In browsers: it speaks to the API.
  console: [],
  config: [],
};
const rooms = '^(core|engine|ivr|sip|jobs|adapters|api|cli|config|console|test|bench|scripts|main)';

module.exports = {
  forbidden: [
    ...Object.entries(allowed).map(([room, may]) => ({
      name: `room-${room.replace('/', '-')}`,
      severity: 'error',
      comment: `${room}/ may import only: ${[room, ...may].join(', ')}`,
      from: { path: `^${room}/` },
      to: { path: rooms, pathNot: [`^${room}/`, ...may.map((other) => `^${other}`)] },
    })),
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency-in-product',
      severity: 'error',
      from: { pathNot: '^(test|bench|scripts)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
