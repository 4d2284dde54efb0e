import { expect } from 'chai';
import { checkFlow } from '../../../core/model/flow/check.js';
import { graphDefinition, menuDefinition, type FlowDefinition } from '../../../core/model/flow/definition.js';
import { flowNode, type FlowNode } from '../../../core/model/flow/node-types.js';
import { faultDetail } from '../../../core/model/flow/authored.js';
import { graphOf } from '../../../core/model/flow/compile.js';
import { starterFlow } from '../../../core/model/flow/starter.js';
import { FLOW_ID, faultsOf, graph, NOTHING } from '../../support/calls/flow-graphs.js';

const END: FlowNode = { type: 'hangup' };
const ASK = { prompt: { text: 'One or two?', language: 'en' } } as const;
const OPEN = { time_zone: 'Asia/Riyadh', week: {}, holidays: [] };

/** Graphs with a faulty node `n` and a node `end`, and the faults that the check reports. */
const FAULTY: readonly (readonly [what: string, node: FlowNode, faults: readonly string[]])[] = [
  ['a prompt without a next node', { type: 'say', text: 'x' }, ['missing_link n.next', 'unreachable end']],
  ['a link to an unknown node', { type: 'say', text: 'x', next: 'gone' }, ['unknown_link n.next', 'unreachable end']],
  ['a menu without choices', { type: 'menu', ...ASK, choices: {}, no_input: 'end' }, ['no_choices n.choices']],
  ['a menu without a link for silence', { type: 'menu', ...ASK, choices: { 1: 'end' } }, ['missing_link n.no_input']],
  [
    'a choice that links to an unknown node',
    { type: 'menu', ...ASK, choices: { 1: 'gone' }, invalid: 'end' },
    ['unknown_link n.choices.1'],
  ],
  [
    'a gather without a next node',
    { type: 'gather', ...ASK, variable: 'pin', no_input: 'end' },
    ['missing_link n.next'],
  ],
  [
    'a gather whose minimum exceeds its maximum',
    { type: 'gather', ...ASK, variable: 'pin', min_digits: 6, max_digits: 4, next: 'end', no_input: 'end' },
    ['bad_limits n.min_digits'],
  ],
  [
    'a built-in variable as the variable of a gather',
    { type: 'gather', ...ASK, variable: 'caller_number', next: 'end', no_input: 'end' },
    ['reserved_name n.variable'],
  ],
  ['a set of a built-in variable', { type: 'set', values: { now: 'x' }, next: 'end' }, ['reserved_name n.values']],
  [
    'a comparison without a value',
    { type: 'branch', cases: [{ variable: 'a', operator: 'equals', next: 'end' }], next: 'end' },
    ['bad_value n.cases[0].value'],
  ],
  [
    'a test for presence with a value',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set', value: 1, next: 'end' }], next: 'end' },
    ['bad_value n.cases[0].value'],
  ],
  [
    'a case without a next node',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set' }], next: 'end' },
    ['missing_link n.cases[0].next'],
  ],
  [
    'a split whose branches lead nowhere',
    { type: 'split', branches: [{ weight: 10 }, { weight: 90, next: 'gone' }] },
    ['missing_link n.branches[0].next', 'unknown_link n.branches[1].next', 'unreachable end'],
  ],
  [
    'a split into a node that is only an inherited member',
    {
      type: 'split',
      branches: [
        { weight: 1, next: 'constructor' },
        { weight: 1, next: 'end' },
      ],
    },
    ['unknown_link n.branches[0].next'],
  ],
  [
    'a split that can draw itself again',
    {
      type: 'split',
      branches: [
        { weight: 1, next: 'n' },
        { weight: 99, next: 'end' },
      ],
    },
    ['loop_without_input n'],
  ],
  ['hours without a link for closed', { type: 'hours', hours: OPEN, open: 'end' }, ['missing_link n.closed']],
  ['a request whose scheme is not http', { type: 'http', url: 'ftp://x.example/', next: 'end' }, ['bad_url n.url']],
  ['a request by plain http', { type: 'http', url: 'http://x.example/', next: 'end' }, ['bad_url n.url']],
  [
    'a request with a variable in the host',
    { type: 'http', url: 'https://{{choice}}.example/', next: 'end' },
    ['bad_url n.url'],
  ],
  [
    'a request with credentials in the URL',
    { type: 'http', url: 'https://a@b.example/', next: 'end' },
    ['bad_url n.url'],
  ],
  [
    'a reserved header',
    { type: 'http', url: 'https://a.example/', headers: { 'Webhook-Id': 'x' }, next: 'end' },
    ['bad_header n.headers'],
  ],
  [
    'a malformed path',
    { type: 'http', url: 'https://a.example/', response: { a: 'x..y' }, next: 'end' },
    ['bad_path n.response.a'],
  ],
  ['braces that are not a placeholder', { type: 'say', text: '{{Name}}', next: 'end' }, ['bad_template n.text']],
  ['an unknown format', { type: 'say', text: '{{name | shout}}', next: 'end' }, ['bad_template n.text']],
  ['an unknown audio file', { type: 'play', audio_id: 'a', next: 'end' }, ['unknown_audio n.audio_id']],
  ['an unknown queue', { type: 'queue', queue_id: 'q', next: 'end' }, ['unknown_queue n.queue_id']],
  [
    'an unknown voicemail number',
    { type: 'voicemail', number: '0115550100' },
    ['unreachable end', 'unknown_number n.number'],
  ],
  [
    'an unknown agent',
    { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
    ['unknown_agent n.to.target'],
  ],
  [
    'an emergency number',
    { type: 'dial', to: { type: 'number', target: '997' }, next: 'end' },
    ['bad_target n.to.target'],
  ],
  [
    'a target that is not a phone number',
    { type: 'transfer', to: { type: 'number', target: 'x' } },
    ['unreachable end', 'bad_target n.to.target'],
  ],
  [
    'a target that is not a SIP address',
    { type: 'dial', to: { type: 'sip', target: 'http://x' }, next: 'end' },
    ['bad_target n.to.target'],
  ],
  ['an unknown flow', { type: 'subflow', callflow_id: 'f', next: 'end' }, ['unknown_callflow n.callflow_id']],
  ['itself as a subflow', { type: 'subflow', callflow_id: FLOW_ID, next: 'end' }, ['recursion n.callflow_id']],
  ['a goto with two links', { type: 'goto', next: 'end', callflow_id: FLOW_ID }, ['both_links n']],
  ['a node that links to itself', { type: 'say', text: 'x', next: 'n' }, ['loop_without_input n', 'unreachable end']],
  ['a verification without a link for failure', { type: 'verify', next: 'end' }, ['missing_link n.failed']],
  [
    'a voice code to the telephone that is in the call',
    { type: 'verify', channel: 'voice', next: 'end', failed: 'end' },
    ['own_line n.channel'],
  ],
  [
    'a voice code to the variable of the caller’s number',
    { type: 'verify', to: '{{caller_number}}', channel: 'voice', next: 'end', failed: 'end' },
    ['own_line n.channel'],
  ],
  [
    'a conference without a link for a full room',
    { type: 'conference', name: 'x' },
    ['missing_link n.next', 'unreachable end'],
  ],
];

const RIGHT: readonly (readonly [what: string, node: FlowNode])[] = [
  ['a prompt', { type: 'say', text: 'Hello {{name}}, {{amount | money}}', next: 'end' }],
  ['a menu', { type: 'menu', ...ASK, choices: { 1: 'end', 22: 'end', '#': 'n' }, no_input: 'end' }],
  ['a menu that repeats itself on silence', { type: 'menu', ...ASK, choices: { 1: 'end' }, no_input: 'n' }],
  ['a gather', { type: 'gather', ...ASK, variable: 'pin', next: 'end', invalid: 'end' }],
  ['a branch', { type: 'branch', cases: [{ variable: 'a', operator: 'in', value: ['x'], next: 'end' }], next: 'end' }],
  [
    'a split, also back to the calling flow',
    {
      type: 'split',
      branches: [
        { weight: 1, next: 'end' },
        { weight: 100, next: 'return' },
      ],
    },
  ],
  ['hours', { type: 'hours', hours: OPEN, open: 'end', closed: 'end' }],
  ['a request', { type: 'http', url: 'https://a.example/{{choice}}', response: { a: 'x[0].y' }, next: 'end' }],
  ['a code to another telephone', { type: 'verify', to: '{{mobile}}', channel: 'voice', next: 'end', failed: 'end' }],
  ['a code by SMS to the caller', { type: 'verify', channel: 'sms', next: 'end', failed: 'end' }],
  ['another party', { type: 'dial', to: { type: 'number', target: '{{number}}' }, next: 'end' }],
  [
    'a return to the calling flow',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set', next: 'return' }], next: 'end' },
  ],
];

describe('The form of a split', () => {
  const split = (...branches: unknown[]): boolean => flowNode.safeParse({ type: 'split', branches }).success;
  const branches = (count: number): unknown[] => Array.from({ length: count }, () => ({ weight: 1, next: 'end' }));

  it('has 2 to 10 branches', () => {
    expect([0, 1, 2, 10, 11].filter((count) => split(...branches(count)))).to.deep.equal([2, 10]);
    expect(flowNode.safeParse({ type: 'split' }).success).to.equal(false);
  });

  it('has a whole number from 1 to 100 as the weight of each branch, and no other members', () => {
    const weighs = (weight: unknown): boolean => split({ weight, next: 'end' }, ...branches(1));
    for (const weight of [1, 10, 100]) expect(weighs(weight), String(weight)).to.equal(true);
    for (const weight of [0, -1, 101, 0.5, '10', null, undefined, NaN, Infinity]) {
      expect(weighs(weight), String(weight)).to.equal(false);
    }
    expect(split({ weight: 1, next: 'end', share: 1 }, ...branches(1))).to.equal(false);
    expect(split({ weight: 1, next: '../end' }, ...branches(1))).to.equal(false);
  });
});

describe('The check of a call flow', () => {
  for (const [what, node, faults] of FAULTY) {
    it(`reports ${what}`, () => {
      expect(faultsOf(graph({ n: flowNode.parse(node), end: END }))).to.have.members(faults);
    });
  }

  for (const [what, node] of RIGHT) {
    it(`accepts ${what}`, () => {
      expect(faultsOf(graph({ n: flowNode.parse(node), end: END }))).to.deep.equal([]);
    });
  }

  it('reports an unknown start node without reporting the other nodes as unreachable', () => {
    expect(faultsOf({ start: 'gone', nodes: { a: END } })).to.deep.equal(['unknown_start .start']);
    expect(faultsOf({ start: 'constructor', nodes: { a: END } })).to.deep.equal(['unknown_start .start']);
  });

  it('reports each loop of several nodes once, and no loop with input from the caller', () => {
    const [a, b, c]: FlowNode[] = [
      { type: 'say', text: 'a', next: 'b' },
      { type: 'set', values: {}, next: 'c' },
      { type: 'branch', cases: [{ variable: 'x', operator: 'is_set', next: 'end' }], next: 'a' },
    ];
    expect(faultsOf(graph({ a: a!, b: b!, c: c!, end: END }))).to.deep.equal(['loop_without_input a']);
    const asks: FlowNode = { type: 'gather', ...ASK, variable: 'x', next: 'c', no_input: 'end' };
    expect(faultsOf(graph({ a: a!, b: asks, c: c!, end: END }))).to.deep.equal([]);
  });

  it('does not accept a dial or a queue as the end of a loop', () => {
    const dial: FlowNode = { type: 'dial', to: { type: 'number', target: '0501234567' }, next: 'n' };
    expect(faultsOf(graph({ n: dial }))).to.deep.equal(['loop_without_input n']);
  });

  it('accepts references to existing objects of the project', () => {
    const nodes: Record<string, FlowNode> = {
      a: { type: 'play', audio_id: 'sound', next: 'b' },
      b: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'c' },
      c: { type: 'queue', queue_id: 'q', next: 'd' },
      d: { type: 'subflow', callflow_id: 'other', next: 'e' },
      e: { type: 'voicemail', number: '0115550100' },
    };
    const known = {
      audio: new Set(['sound']),
      queue: new Set(['q']),
      agent: new Set(['1001']),
      number: new Set(['+966115550100']),
    };
    const other = { isActive: true, calls: [] };
    expect(faultsOf(graph(nodes), { known, callflows: new Map([['other', other]]) })).to.deep.equal([]);
    const inactive = new Map([['other', { ...other, isActive: false }]]);
    expect(faultsOf(graph(nodes), { known, callflows: inactive })).to.deep.equal(['inactive_callflow d.callflow_id']);
  });

  it('finds recursion through other flows', () => {
    const callflows = new Map([
      ['one', { isActive: true, calls: ['two'] }],
      ['two', { isActive: true, calls: [FLOW_ID] }],
    ]);
    const calls = graph({ a: { type: 'subflow', callflow_id: 'one', next: 'end' }, end: END });
    expect(faultsOf(calls, { callflows })).to.deep.equal(['recursion a.callflow_id']);
    // A flow that does not return cannot be nested without limit.
    const goes = graph({ a: { type: 'goto', callflow_id: 'one' } });
    expect(faultsOf(goes, { callflows })).to.deep.equal([]);
  });

  it('reports place and fault in both languages', () => {
    const definition = graph({ a: { type: 'say', text: 'x', next: 'gone' } });
    const [fault] = checkFlow(FLOW_ID, definition, NOTHING);
    const detail = faultDetail({ kind: 'graph', definition }, fault!);
    expect(detail.path).to.equal('definition.nodes.a.next');
    expect(detail.message).to.match(/node a .*gone/);
    expect(detail.message_ar).to.match(/[\u0600-\u06ff].*gone/);
  });

  it('reports the place in a menu as its author wrote it, not in the graph that the menu becomes', () => {
    const audio = '0198c0de-0000-7000-8000-00000000000a';
    const of: FlowDefinition = {
      kind: 'menu',
      definition: {
        greeting: [{ text: 'Welcome.' }, { audio_id: audio }],
        prompt: [{ text: 'Press.' }, { audio_id: audio }],
        options: { 1: { type: 'agent', target: '404' }, '*': { type: 'queue', target: FLOW_ID } },
        otherwise: { type: 'agent', target: '405' },
      },
    };
    const details = checkFlow(FLOW_ID, graphOf(of), NOTHING).map((fault) => faultDetail(of, fault));
    const members = new Set(['greeting', 'prompt', 'options', 'otherwise']);
    for (const { path, message } of details) {
      expect(members.has(path.split(/[.[]/)[1]!), path).to.equal(true);
      expect(message).to.not.match(/node|option_/);
    }
    expect(details.map(({ path }) => path).sort()).to.deep.equal([
      'definition.greeting[1].audio_id',
      'definition.options.*.target',
      'definition.options.1.target',
      'definition.otherwise.target',
      'definition.prompt',
    ]);
    const byKey = details.find(({ path }) => path === 'definition.options.1.target');
    expect(byKey?.message).to.equal('the option of key 1 names the agent 404, which the project does not have');
    expect(byKey?.message_ar).to.match(/^عقدة المفتاح .*404/);
  });

  it('checks the largest possible graph quickly', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const nodes = Object.fromEntries(
      ids.map((id, index): [string, FlowNode] => [
        id,
        {
          type: 'branch',
          cases: Array.from({ length: 50 }, (_, at) => ({
            variable: 'x',
            operator: 'equals' as const,
            value: at,
            next: ids[(index * 7 + at * 13) % ids.length],
          })),
          next: ids[(index + 1) % ids.length],
        },
      ]),
    );
    const faults = checkFlow(FLOW_ID, graph(nodes), NOTHING);
    expect(faults.map(({ code }) => code)).to.deep.equal(['loop_without_input']);
    expect(faults[0]?.about.length).to.be.below(200);
  });
});

describe('A call flow of the kind menu', () => {
  it('is translated into a valid graph', () => {
    const made = graphOf({
      kind: 'menu',
      definition: {
        language: 'en',
        greeting: [{ text: 'Welcome' }, { text: 'to us', language: 'en' }],
        prompt: { text: 'One for sales' },
        options: {
          1: { type: 'number', target: '0501234567' },
          2: { type: 'repeat' },
          '*': { type: 'voicemail' },
          '#': { type: 'hangup' },
        },
        otherwise: { type: 'voicemail', target: null },
      },
    });
    expect(graphDefinition.parse(made)).to.deep.equal(made);
    expect(faultsOf(made)).to.deep.equal([]);
    expect(Object.keys(made.nodes)).to.have.members([
      'greeting_1',
      'greeting_2',
      'menu',
      'option_1',
      'option_star',
      'option_hash',
      'otherwise',
    ]);
  });

  it('hangs up by default if the caller chooses nothing', () => {
    const made = graphOf({ kind: 'menu', definition: { prompt: { text: 'x' }, options: { 1: { type: 'repeat' } } } });
    expect(made.start).to.equal('menu');
    expect(made.nodes.otherwise).to.deep.equal({ type: 'hangup' });
  });
});

describe('the call flow of a new sandbox', () => {
  for (const language of ['ar', 'en'] as const) {
    it(`can be activated in ${language}, if the project has the agent`, () => {
      const flow = starterFlow(language, '1001');
      expect(menuDefinition.parse(flow.definition)).to.deep.equal(flow.definition);
      const known = { ...NOTHING.known, agent: new Set(['1001']) };
      expect(faultsOf(graphOf(flow), { known })).to.deep.equal([]);
      expect(faultsOf(graphOf(flow))).to.have.length(1);
    });
  }
});
