/**
 * Who may import whom. A room may import itself and what its line allows; only the process entries (main.ts and main/) and
 * tests put concrete things together. scripts/check-rooms.mjs adds what a single arrow does not show: circles of folders and
 * their size.
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
  // In browsers: it speaks to the API, calls by the package, and words its texts as the API does.
  console: ['core/model/wording', 'packages/web'],
  // Published by itself.
  'packages/web': [],
  config: [],
};
const rooms = '^(core|engine|ivr|sip|jobs|adapters|api|cli|config|console|packages|test|bench|scripts|main)';

/** Arrows between use cases that would run back up: from → the folders that it must not import, and why. */
const services = [
  {
    from: 'call-state',
    to: '(?!call-state/)',
    because: 'the state of a call is pure and knows no use case',
  },
  {
    from: 'calls',
    to: '(live-calls|engine-ownership|conferences|monitoring|recordings|queues|voicemail)/',
    because:
      'a request of the API reaches a live call by the command bus only: its engine may belong to another process',
  },
  {
    from: 'live-calls',
    to: '(calls|conferences|monitoring|callflows|callbacks|engine-ownership)/',
    because: 'the process that owns an engine acts on commands and events and does not know who asked',
  },
  {
    from: '(?!live-calls|engine-ownership)[^/]+',
    to: '(live-calls|engine-ownership)/',
    because: 'only the owner of an engine works on live calls',
  },
];

module.exports = {
  forbidden: [
    ...Object.entries(allowed).map(([room, may]) => ({
      name: `room-${room.replaceAll('/', '-')}`,
      severity: 'error',
      comment: `${room}/ may import only: ${[room, ...may].join(', ')}`,
      from: { path: `^${room}/` },
      to: { path: rooms, pathNot: [`^${room}/`, ...may.map((other) => `^${other}`)] },
    })),
    ...services.map(({ from, to, because }) => ({
      name: `services-${from.replace(/\W+/g, '-')}`,
      severity: 'error',
      comment: because,
      from: { path: `^core/services/${from}/` },
      to: { path: `^core/services/${to}` },
    })),
    // Imports of types count too: a circle of types ties files together just as well.
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency-in-product',
      severity: 'error',
      from: { pathNot: '^(test|bench|scripts)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
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
