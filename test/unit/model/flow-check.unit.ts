import { expect } from 'chai';
import { checkFlow } from '../../../core/model/flow/check.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { flowNode, type FlowNode } from '../../../core/model/flow/node-types.js';
import { faultDetail } from '../../../core/model/flow/parts/faults.js';
import { graphOf } from '../../../core/model/flow/compile.js';
import { FLOW_ID, faultsOf, graph, NOTHING } from '../../support/calls/flow-graphs.js';

const END: FlowNode = { type: 'hangup' };
const ASK = { prompt: { text: 'One or two?', language: 'en' } } as const;
const OPEN = { time_zone: 'Asia/Riyadh', week: {}, holidays: [] };

/** What is wrong with one node `n`, which leads to `end` where it leads anywhere. */
const WRONG: readonly (readonly [what: string, node: FlowNode, faults: readonly string[]])[] = [
  ['a prompt that leads nowhere', { type: 'say', text: 'x' }, ['missing_link n.next', 'unreachable end']],
  ['a link to no node', { type: 'say', text: 'x', next: 'gone' }, ['unknown_link n.next', 'unreachable end']],
  ['a menu without choices', { type: 'menu', ...ASK, choices: {}, no_input: 'end' }, ['no_choices n.choices']],
  ['a menu that forgets the silent', { type: 'menu', ...ASK, choices: { 1: 'end' } }, ['missing_link n.no_input']],
  [
    'a choice to no node',
    { type: 'menu', ...ASK, choices: { 1: 'gone' }, invalid: 'end' },
    ['unknown_link n.choices.1'],
  ],
  ['a gather without a way on', { type: 'gather', ...ASK, variable: 'pin', no_input: 'end' }, ['missing_link n.next']],
  [
    'a gather of more digits than fit',
    { type: 'gather', ...ASK, variable: 'pin', min_digits: 6, max_digits: 4, next: 'end', no_input: 'end' },
    ['bad_limits n.min_digits'],
  ],
  [
    'a variable of the platform',
    { type: 'gather', ...ASK, variable: 'caller_number', next: 'end', no_input: 'end' },
    ['reserved_name n.variable'],
  ],
  ['a set of one', { type: 'set', values: { now: 'x' }, next: 'end' }, ['reserved_name n.values']],
  [
    'a comparison with nothing',
    { type: 'branch', cases: [{ variable: 'a', operator: 'equals', next: 'end' }], next: 'end' },
    ['bad_value n.cases[0].value'],
  ],
  [
    'a test for presence with a value',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set', value: 1, next: 'end' }], next: 'end' },
    ['bad_value n.cases[0].value'],
  ],
  [
    'a case that leads nowhere',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set' }], next: 'end' },
    ['missing_link n.cases[0].next'],
  ],
  ['hours without a closed door', { type: 'hours', hours: OPEN, open: 'end' }, ['missing_link n.closed']],
  ['a request by plain text', { type: 'http', url: 'ftp://x.example/', next: 'end' }, ['bad_url n.url']],
  ['a request by plain http', { type: 'http', url: 'http://x.example/', next: 'end' }, ['bad_url n.url']],
  [
    'a request to a host that a caller chooses',
    { type: 'http', url: 'https://{{choice}}.example/', next: 'end' },
    ['bad_url n.url'],
  ],
  ['a request with a user', { type: 'http', url: 'https://a@b.example/', next: 'end' }, ['bad_url n.url']],
  [
    'a header of the platform',
    { type: 'http', url: 'https://a.example/', headers: { 'Webhook-Id': 'x' }, next: 'end' },
    ['bad_header n.headers'],
  ],
  [
    'a path that is none',
    { type: 'http', url: 'https://a.example/', response: { a: 'x..y' }, next: 'end' },
    ['bad_path n.response.a'],
  ],
  ['braces that are no place', { type: 'say', text: '{{Name}}', next: 'end' }, ['bad_template n.text']],
  ['a format that is none', { type: 'say', text: '{{name | shout}}', next: 'end' }, ['bad_template n.text']],
  ['an audio that is not there', { type: 'play', audio_id: 'a', next: 'end' }, ['unknown_audio n.audio_id']],
  ['a queue that is not there', { type: 'queue', queue_id: 'q', next: 'end' }, ['unknown_queue n.queue_id']],
  [
    'a box that is not there',
    { type: 'voicemail', number: '0115550100' },
    ['unreachable end', 'unknown_number n.number'],
  ],
  [
    'an agent who is not there',
    { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
    ['unknown_agent n.to.target'],
  ],
  [
    'an emergency number',
    { type: 'dial', to: { type: 'number', target: '997' }, next: 'end' },
    ['bad_target n.to.target'],
  ],
  [
    'no number',
    { type: 'transfer', to: { type: 'number', target: 'x' } },
    ['unreachable end', 'bad_target n.to.target'],
  ],
  [
    'no SIP address',
    { type: 'dial', to: { type: 'sip', target: 'http://x' }, next: 'end' },
    ['bad_target n.to.target'],
  ],
  ['a flow that is not there', { type: 'subflow', callflow_id: 'f', next: 'end' }, ['unknown_callflow n.callflow_id']],
  ['itself as a subflow', { type: 'subflow', callflow_id: FLOW_ID, next: 'end' }, ['recursion n.callflow_id']],
  ['two ways to go', { type: 'goto', next: 'end', callflow_id: FLOW_ID }, ['both_links n']],
  ['a loop of its own', { type: 'say', text: 'x', next: 'n' }, ['loop_without_input n', 'unreachable end']],
  ['a verification that nobody may fail', { type: 'verify', next: 'end' }, ['missing_link n.failed']],
  [
    'a code that would be told to the telephone that is in the call',
    { type: 'verify', channel: 'voice', next: 'end', failed: 'end' },
    ['own_line n.channel'],
  ],
  [
    'the same by the name of the number',
    { type: 'verify', to: '{{caller_number}}', channel: 'voice', next: 'end', failed: 'end' },
    ['own_line n.channel'],
  ],
  ['a conference that may be full', { type: 'conference', name: 'x' }, ['missing_link n.next', 'unreachable end']],
];

const RIGHT: readonly (readonly [what: string, node: FlowNode])[] = [
  ['a prompt', { type: 'say', text: 'Hello {{name}}, {{amount | money}}', next: 'end' }],
  ['a menu', { type: 'menu', ...ASK, choices: { 1: 'end', 22: 'end', '#': 'n' }, no_input: 'end' }],
  ['a menu that asks again for ever', { type: 'menu', ...ASK, choices: { 1: 'end' }, no_input: 'n' }],
  ['a gather', { type: 'gather', ...ASK, variable: 'pin', next: 'end', invalid: 'end' }],
  ['a branch', { type: 'branch', cases: [{ variable: 'a', operator: 'in', value: ['x'], next: 'end' }], next: 'end' }],
  ['hours', { type: 'hours', hours: OPEN, open: 'end', closed: 'end' }],
  ['a request', { type: 'http', url: 'https://a.example/{{choice}}', response: { a: 'x[0].y' }, next: 'end' }],
  ['a code to another telephone', { type: 'verify', to: '{{mobile}}', channel: 'voice', next: 'end', failed: 'end' }],
  ['a code that is written to the caller', { type: 'verify', channel: 'sms', next: 'end', failed: 'end' }],
  ['another party', { type: 'dial', to: { type: 'number', target: '{{number}}' }, next: 'end' }],
  [
    'a way back to whoever called',
    { type: 'branch', cases: [{ variable: 'a', operator: 'is_set', next: 'return' }], next: 'end' },
  ],
];

describe('the check of a call flow', () => {
  for (const [what, node, faults] of WRONG) {
    it(`names ${what}`, () => {
      expect(faultsOf(graph({ n: flowNode.parse(node), end: END }))).to.have.members(faults);
    });
  }

  for (const [what, node] of RIGHT) {
    it(`lets ${what} pass`, () => {
      expect(faultsOf(graph({ n: flowNode.parse(node), end: END }))).to.deep.equal([]);
    });
  }

  it('names a start that is no node, and calls nothing unreachable then', () => {
    expect(faultsOf({ start: 'gone', nodes: { a: END } })).to.deep.equal(['unknown_start .start']);
    expect(faultsOf({ start: 'constructor', nodes: { a: END } })).to.deep.equal(['unknown_start .start']);
  });

  it('finds a loop of several nodes, each loop once, and none that asks the caller', () => {
    const [a, b, c]: FlowNode[] = [
      { type: 'say', text: 'a', next: 'b' },
      { type: 'set', values: {}, next: 'c' },
      { type: 'branch', cases: [{ variable: 'x', operator: 'is_set', next: 'end' }], next: 'a' },
    ];
    expect(faultsOf(graph({ a: a!, b: b!, c: c!, end: END }))).to.deep.equal(['loop_without_input a']);
    const asks: FlowNode = { type: 'gather', ...ASK, variable: 'x', next: 'c', no_input: 'end' };
    expect(faultsOf(graph({ a: a!, b: asks, c: c!, end: END }))).to.deep.equal([]);
  });

  it('takes a dial or a queue for nothing that ends a loop', () => {
    const dial: FlowNode = { type: 'dial', to: { type: 'number', target: '0501234567' }, next: 'n' };
    expect(faultsOf(graph({ n: dial }))).to.deep.equal(['loop_without_input n']);
  });

  it('knows what the project has', () => {
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
    const asleep = new Map([['other', { ...other, isActive: false }]]);
    expect(faultsOf(graph(nodes), { known, callflows: asleep })).to.deep.equal(['inactive_callflow d.callflow_id']);
  });

  it('follows flows that call flows, and finds the way back', () => {
    const callflows = new Map([
      ['one', { isActive: true, calls: ['two'] }],
      ['two', { isActive: true, calls: [FLOW_ID] }],
    ]);
    const calls = graph({ a: { type: 'subflow', callflow_id: 'one', next: 'end' }, end: END });
    expect(faultsOf(calls, { callflows })).to.deep.equal(['recursion a.callflow_id']);
    // What does not come back cannot pile up.
    const goes = graph({ a: { type: 'goto', callflow_id: 'one' } });
    expect(faultsOf(goes, { callflows })).to.deep.equal([]);
  });

  it('says where and what in both languages', () => {
    const [fault] = checkFlow(FLOW_ID, graph({ a: { type: 'say', text: 'x', next: 'gone' } }), NOTHING);
    const detail = faultDetail(fault!);
    expect(detail.path).to.equal('definition.nodes.a.next');
    expect(detail.message).to.match(/node a .*gone/);
    expect(detail.message_ar).to.match(/[\u0600-\u06ff].*gone/);
  });

  it('is quick with the largest graph there can be', () => {
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

describe('a call flow of the kind menu', () => {
  it('is a graph, and a right one', () => {
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

  it('hangs up on who chooses nothing, where nothing else is said', () => {
    const made = graphOf({ kind: 'menu', definition: { prompt: { text: 'x' }, options: { 1: { type: 'repeat' } } } });
    expect(made.start).to.equal('menu');
    expect(made.nodes.otherwise).to.deep.equal({ type: 'hangup' });
  });
});
