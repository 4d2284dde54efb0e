import { expect } from 'chai';
import type { GraphDefinition } from '../../../core/model/flow/definition.js';
import type { FlowNode } from '../../../core/model/flow/node-types.js';
import { flowScript } from '../../../core/model/flow/script.js';
import { openingHours } from '../../../core/model/calendar/index.js';
import { MAX_SILENT_STEPS } from '../../../core/model/flow/parts/limits.js';
import { FLOW_ID, graph, simulate } from '../../support/calls/flow-graphs.js';

const BYE: FlowNode = { type: 'say', text: 'Goodbye', language: 'en', next: 'end' };
const END: FlowNode = { type: 'hangup' };
const OTHER = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c12';

const menu = (more: object = {}): GraphDefinition =>
  graph(
    {
      main: {
        type: 'menu',
        prompt: { text: 'One or two' },
        choices: { 1: 'one', 2: 'bye', 33: 'bye' },
        no_input: 'silent',
        invalid: 'wrong',
        ...more,
      },
      one: { type: 'transfer', to: { type: 'number', target: '0501234567' } },
      bye: BYE,
      silent: { type: 'say', text: 'Nothing heard', next: 'end' },
      wrong: { type: 'say', text: 'Nothing right', next: 'end' },
      end: END,
    },
    { language: 'en' },
  );

const pathOf = ({ path }: { path: readonly { node: string }[] }): string[] => path.map(({ node }) => node);
const promptTexts = ({ prompts }: { prompts: readonly { text: string | null }[] }): (string | null)[] =>
  prompts.map(({ text }) => text);

describe('A simulated call flow', () => {
  it('follows a choice', async () => {
    const result = await simulate(menu(), { inputs: [{ digits: '1' }] });
    expect(result).to.include({ ending: 'connect', reason: null });
    expect(result.handed_to).to.deep.equal({ type: 'number', target: '+966501234567' });
    expect(pathOf(result)).to.deep.equal(['main', 'one']);
    expect(result.variables.choice).to.equal('1');
    expect(result.prompts).to.deep.equal([{ node: 'main', text: 'One or two', language: 'en', audio_id: null }]);
  });

  it('repeats the question after silence and after an invalid choice, each with its own prompt', async () => {
    const given = menu({ no_input_prompt: { text: 'Hello?' }, invalid_prompt: { text: 'No.' } });
    const result = await simulate(given, { inputs: [{ silence: true }, { digits: '9' }, { digits: '33' }] });
    expect(promptTexts(result)).to.deep.equal(['One or two', 'Hello?', 'One or two', 'No.', 'One or two', 'Goodbye']);
    expect(result.ending).to.equal('hangup');
  });

  it('continues without an answer after the last retry', async () => {
    const silent = await simulate(menu({ retries: 1 }));
    expect(pathOf(silent)).to.deep.equal(['main', 'silent', 'end']);
    expect(silent.prompts).to.have.length(3);
    const wrong = await simulate(menu({ retries: 0 }), { inputs: [{ digits: '77' }] });
    expect(pathOf(wrong)).to.deep.equal(['main', 'wrong', 'end']);
  });

  it('ends when the caller hangs up, at a question or during a prompt', async () => {
    expect((await simulate(menu(), { inputs: [{ hang_up: true }] })).ending).to.equal('caller_hung_up');
    const result = await simulate(menu(), { inputs: [{ digits: '2' }], hang_up_after: 1 });
    expect(result.ending).to.equal('caller_hung_up');
    expect(pathOf(result)).to.deep.equal(['main', 'bye']);
  });

  it('reports the choice of an auth_menu and of no other menu', async () => {
    const node: FlowNode = {
      type: 'auth_menu',
      prompt: { text: 'Was it you?' },
      choices: { 1: 'end', 22: 'end' },
      no_input: 'end',
    };
    const { events } = await simulate(graph({ confirm: node, end: END }), { inputs: [{ digits: '22' }] });
    expect(events).to.deep.equal([
      { type: 'call.input', data: { input: { node: 'confirm', choice: '22', digits_count: 2 } } },
    ]);
    expect((await simulate(menu(), { inputs: [{ digits: '1' }] })).events).to.deep.equal([]);
    expect((await simulate(graph({ confirm: node, end: END }))).events).to.deep.equal([]);
  });

  it('gathers digits into a variable and speaks them in the requested format', async () => {
    const given = graph({
      ask: {
        type: 'gather',
        prompt: { text: 'Your number' },
        variable: 'order',
        min_digits: 2,
        max_digits: 4,
        next: 'say',
        no_input: 'end',
      },
      say: { type: 'say', text: '{{order}}: {{order | digits}}, {{order | number}}', language: 'en', next: 'end' },
      end: END,
    });
    const result = await simulate(given, { inputs: [{ digits: '1' }, { digits: '12#' }] });
    expect(result.variables.order).to.equal('12');
    expect(promptTexts(result).at(-1)).to.equal('12: one, two, twelve');
    const long = await simulate(given, { inputs: [{ digits: '98765' }] });
    expect(long.variables.order, 'truncated to the maximum').to.equal('9876');
  });

  it('compares the values of variables', async () => {
    const given = (operator: string, value: unknown): GraphDefinition =>
      graph({
        n: { type: 'branch', cases: [{ variable: 'x', operator, value, next: 'yes' }] as never, next: 'no' },
        yes: END,
        no: END,
      });
    const rows: readonly [string, unknown, string, boolean][] = [
      ['equals', 'Gold', ' gold', true],
      ['equals', 5, '٥', true],
      ['not_equals', 'a', 'b', true],
      ['contains', 'ol', 'gold', true],
      ['starts_with', '+966', '+966501234567', true],
      ['ends_with', '67', '+966501234567', true],
      ['greater_than', 9, '10', true],
      ['greater_than', 9, 'many', false],
      ['less_than', 9, '-1.5', true],
      ['less_than', 9, '', false],
      ['in', ['a', 'b'], 'B', true],
      ['in', ['a', 'b'], 'c', false],
      ['is_set', undefined, 'x', true],
      ['is_empty', undefined, 'x', false],
    ];
    for (const [operator, value, x, holds] of rows) {
      const result = await simulate(given(operator, value), { variables: { x } });
      expect(pathOf(result)[1], `${x} ${operator} ${String(value)}`).to.equal(holds ? 'yes' : 'no');
    }
  });

  it('follows opening hours', async () => {
    const hours = openingHours.parse({ week: { sunday: [{ from: '09:00', to: '17:00' }] } });
    const given = graph({ n: { type: 'hours', hours, open: 'in', closed: 'out' }, in: END, out: END });
    expect(pathOf(await simulate(given, { at: '2026-11-22T12:00:00+03:00' }))).to.deep.equal(['n', 'in']);
    expect(pathOf(await simulate(given, { at: '2026-11-22T17:00:00+03:00' }))).to.deep.equal(['n', 'out']);
  });

  describe('a split', () => {
    const halves: FlowNode = {
      type: 'split',
      branches: [
        { weight: 1, next: 'ask' },
        { weight: 1, next: 'end' },
      ],
    };
    const ask: FlowNode = { type: 'gather', prompt: { text: 'x' }, variable: 'x', next: 'n', no_input: 'end' };
    const given = graph({ n: halves, ask, end: END });

    it('takes the branches of the script in sequence, and the first after the last', async () => {
      expect(pathOf(await simulate(given, { splits: [1] }))).to.deep.equal(['n', 'end']);
      const inputs = [{ digits: '1#' }, { digits: '1#' }];
      const again = await simulate(given, { splits: [0, 1], inputs });
      expect(pathOf(again)).to.deep.equal(['n', 'ask', 'n', 'end']);
      for (let run = 0; run < 20; run += 1) expect(pathOf(await simulate(given))[1]).to.equal('ask');
    });

    it('ends with a fault if the script names a branch that it does not have', async () => {
      const result = await simulate(given, { splits: [2] });
      expect(result).to.include({ ending: 'fault', reason: 'the script names branch 2, which the node does not have' });
      expect(pathOf(result)).to.deep.equal(['n']);
    });

    it('is scripted by whole numbers from 0 to 9', () => {
      expect(flowScript.safeParse({ splits: [0, 9] }).success).to.equal(true);
      for (const entry of [-1, 10, 0.5, '1', null]) {
        expect(flowScript.safeParse({ splits: [entry] }).success, String(entry)).to.equal(false);
      }
    });

    it('takes no time and does not count as something that a person did', async () => {
      const loop: FlowNode = {
        type: 'split',
        branches: [
          { weight: 1, next: 'n' },
          { weight: 1, next: 'end' },
        ],
      };
      const result = await simulate(graph({ n: loop, end: END }));
      expect(result.ending).to.equal('fault');
      expect(result.steps).to.equal(MAX_SILENT_STEPS);
    });
  });

  it('computes all values from the previous variables before it sets them', async () => {
    const given = graph(
      { n: { type: 'set', values: { a: '{{b}}', b: '{{a}}', n: 7, t: true }, next: 'end' }, end: END },
      { variables: { a: '1', b: '2' } },
    );
    expect((await simulate(given)).variables).to.deep.equal({ a: '2', b: '1', n: '7', t: 'true' });
  });

  describe('a request', () => {
    const given = graph({
      ask: {
        type: 'http',
        url: 'https://crm.example/customers?q={{q}}',
        headers: { 'X-Branch': '{{branch}}' },
        body: { order: '{{q}}', urgent: true },
        response: { tier: 'customer.tier', first: 'orders[0].id', odd: 'customer' },
        next: 'ok',
        failed: 'bad',
      },
      ok: END,
      bad: END,
    });

    it('contains the call’s data, and values cannot inject anything', async () => {
      const variables = { q: 'a&b=ü', branch: 'x\r\nEvil: 1' };
      const { requests } = await simulate(given, { variables, http: [{ status: 200, body: {} }] });
      expect(requests[0]?.url).to.equal('https://crm.example/customers?q=a%26b%3D%C3%BC');
      expect(requests[0]?.headers).to.deep.equal({ 'X-Branch': 'x Evil: 1' });
      expect(requests[0]?.data).to.include({ callflow_id: FLOW_ID, node: 'ask', direction: 'inbound' });
      expect(requests[0]?.data.input).to.deep.equal({ order: 'a&b=ü', urgent: true });
      expect(JSON.stringify(requests), 'the caller is masked').not.to.contain('+966500000001');
    });

    it('maps the response into variables; a missing value is empty', async () => {
      const body = { customer: { tier: 'gold' }, orders: [{ id: 7 }] };
      const { variables, path } = await simulate(given, { http: [{ status: 201, body }] });
      expect(variables).to.deep.equal({ http_status: '201', tier: 'gold', first: '7', odd: '' });
      expect(path.at(-1)?.node).to.equal('ok');
    });

    it('fails if the script has no response, and the result names the node', async () => {
      const { path, unscripted } = await simulate(given, { http: [] });
      expect(path.at(-1)?.node).to.equal('bad');
      expect(unscripted).to.deep.equal([{ node: 'ask', member: 'http' }]);
      expect((await simulate(given, { http: [{ status: 500 }] })).unscripted).to.deep.equal([]);
    });

    it('follows another link if it fails', async () => {
      for (const answer of [{ status: 500 }, { status: 302 }, { failure: 'timeout' as const }]) {
        const { path } = await simulate(given, { http: [answer] });
        expect(path.at(-1)?.node).to.equal('bad');
      }
    });
  });

  it('dials another party and continues if it is not reached', async () => {
    const given = graph({
      n: { type: 'dial', to: { type: 'number', target: '{{to}}' }, next: 'away', after: 'back' },
      away: { type: 'say', text: '{{dial_status}}', next: 'end' },
      back: BYE,
      end: END,
    });
    const variables = { to: '0501234567' };
    const busy = await simulate(given, { variables, dials: ['busy'] });
    expect(promptTexts(busy)).to.deep.equal(['busy']);
    const talked = await simulate(given, { variables, dials: ['answered'] });
    expect(promptTexts(talked)).to.deep.equal(['Goodbye']);
    const nobody = await simulate(given, { variables: { to: '911' } });
    expect(promptTexts(nobody), 'no flow dials an emergency number').to.deep.equal(['failed']);
  });

  it('hands over to queues, voicemail and conferences, and continues when the call returns', async () => {
    const queue = graph({ q: { type: 'queue', queue_id: 'sales', next: 'bye' }, bye: BYE, end: END });
    expect((await simulate(queue)).handed_to).to.deep.equal({ type: 'queue', target: 'sales' });
    expect(promptTexts(await simulate(queue, { queues: ['not_served'] }))).to.deep.equal(['Goodbye']);
    const room = graph({ c: { type: 'conference', name: 'room {{choice}}', next: 'bye' }, bye: BYE, end: END });
    expect((await simulate(room)).handed_to).to.deep.equal({ type: 'conference', target: 'room ' });
    expect(promptTexts(await simulate(room, { conferences: ['refused'] }))).to.deep.equal(['Goodbye']);
    const box = graph({ v: { type: 'voicemail' } });
    expect((await simulate(box)).handed_to).to.deep.equal({ type: 'voicemail', target: null });
  });

  it('verifies a number by a code', async () => {
    const given = graph({ v: { type: 'verify', tries: 2, next: 'bye', failed: 'end' }, bye: BYE, end: END });
    const right = await simulate(given, {
      verifications: [{ code: '123456' }],
      inputs: [{ digits: '000000' }, { digits: '123456' }],
    });
    expect(pathOf(right)).to.deep.equal(['v', 'bye', 'end']);
    const wrong = await simulate(given, {
      verifications: [{ code: '123456' }],
      inputs: [{ digits: '000000' }, { digits: '111111' }, { digits: '123456' }],
    });
    expect(pathOf(wrong)).to.deep.equal(['v', 'end']);
    expect(pathOf(await simulate(given, { verifications: [{ sent: false }] }))).to.deep.equal(['v', 'end']);
  });

  it('reports why a number was not verified', async () => {
    const given = graph({
      v: { type: 'verify', tries: 1, to: '{{mobile}}', channel: 'voice', next: 'end', failed: 'end' },
      end: END,
    });
    const why = async (mobile: string, more: object = {}): Promise<unknown> =>
      (await simulate(given, { caller_number: '+966501234517', variables: { mobile }, ...more })).variables
        .verify_status;
    const verifications = [{ code: '123456' }];
    expect(await why('0501234518', { verifications, inputs: [{ digits: '123456' }] })).to.equal('verified');
    expect(await why('0501234518', { verifications, inputs: [{ digits: '111111' }] })).to.equal('wrong');
    expect(await why('0501234518', { verifications })).to.equal('no_input');
    expect(await why('0501234518')).to.equal('not_sent');
    // The caller's own line is busy with this call, so no code is sent by voice.
    expect(await why('0501234517', { verifications, inputs: [{ digits: '123456' }] })).to.equal('own_line');
  });

  describe('a flow that enters other flows', () => {
    const inner = graph(
      {
        in: { type: 'say', text: 'Inner', language: 'en', next: 'note' },
        note: { type: 'set', values: { seen: 'yes' }, next: 'return' },
      },
      { variables: { seen: 'no', kept: 'inner' } },
    );

    it('continues when a subflow returns, and shares its variables', async () => {
      const outer = graph(
        { a: { type: 'subflow', callflow_id: OTHER, next: 'bye' }, bye: BYE, end: END },
        { variables: { kept: 'outer' } },
      );
      const result = await simulate(outer, {}, { [OTHER]: inner });
      expect(pathOf(result)).to.deep.equal(['a', 'in', 'note', 'bye', 'end']);
      expect(result.variables).to.deep.equal({ kept: 'outer', seen: 'yes' });
    });

    it('does not continue after a flow that does not return', async () => {
      const outer = graph({ a: { type: 'goto', callflow_id: OTHER } });
      const result = await simulate(outer, {}, { [OTHER]: inner });
      expect(result).to.include({ ending: 'hangup', reason: 'normal' });
      expect(pathOf(result)).to.deep.equal(['a', 'in', 'note']);
    });

    it('reports a fault for an unknown flow or too many nested flows', async () => {
      const outer = graph({ a: { type: 'subflow', callflow_id: OTHER, next: 'a' } });
      expect(await simulate(outer)).to.include({ ending: 'fault', reason: 'there is no such active flow' });
      const deep = await simulate(outer, {}, { [OTHER]: outer });
      expect(deep).to.include({ ending: 'fault', reason: 'too many flows within flows' });
    });

    it('cannot continue in a loop between flows forever', async () => {
      const one = graph({ a: { type: 'goto', callflow_id: OTHER } });
      const two = graph({ a: { type: 'goto', callflow_id: FLOW_ID } });
      const result = await simulate(one, {}, { [OTHER]: two });
      expect(result.ending).to.equal('fault');
      expect(result.steps).to.be.at.most(MAX_SILENT_STEPS);
    });
  });

  it('treats the names of inherited object members as ordinary names', async () => {
    const odd: FlowNode = { type: 'say', text: '{{constructor}}|{{valueof}}', next: 'end' };
    const given = graph(
      Object.fromEntries<FlowNode>([
        ['constructor', odd],
        ['end', END],
      ]),
    );
    expect(promptTexts(await simulate(given))).to.deep.equal(['|']);
    const lost = graph({ a: { type: 'say', text: 'x', next: 'toString' } });
    expect((await simulate(lost)).ending).to.equal('fault');
  });
});
