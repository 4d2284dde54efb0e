import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import type { FlowNode } from '../../../core/model/flow/node-types.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { newId } from '../../../core/model/ids.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { activeFlow } from '../../support/calls/flows.js';

interface TimelineEntry {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('A phone call that runs a flow', () => {
  let rig: CallControllerRig;
  let answers: { status: number | null; body: string }[];
  let sentRequests: { url: string; id: string }[];
  let draws: number[];
  callControllerEach((made) => (rig = made), {
    flowRandom: () => draws.shift() ?? 0,
    flowRequests: {
      send: (_, { url, id }) => {
        sentRequests.push({ url, id });
        return Promise.resolve(answers.shift() ?? { status: null, body: '' });
      },
    },
  });
  beforeEach(() => {
    answers = [];
    sentRequests = [];
    draws = [];
  });

  /** Calls the line, which runs this flow from its first node. */
  async function call(
    nodes: Record<string, unknown>,
    more: object = {},
  ): Promise<{ callId: string; legId: string; flowId: string }> {
    const graph = graphDefinition.parse({ start: Object.keys(nodes)[0], nodes, ...more });
    const { organizationId, projectId } = rig.ground;
    const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
    const numbers = new Numbers(rig.db);
    const line = await numbers.findByE164(rig.line);
    await numbers.setBinding(line!.id, { type: 'callflow', target: flowId });
    const legId = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    return { callId: await rig.newest(), legId, flowId };
  }
  const timelineOf = async (callId: string, type: string): Promise<TimelineEntry[]> =>
    await rig.db.query<TimelineEntry>(
      `SELECT type, data FROM call_timeline WHERE call_id = $1 AND type = $2 ORDER BY id`,
      [callId, type],
    );
  const path = async (callId: string): Promise<unknown[]> =>
    (await timelineOf(callId, 'flow.node')).map(({ data }) => data.node);
  /** Waits until the call is at the node. */
  const at = (callId: string, node: string): Promise<unknown> =>
    rig.until(async () => (await path(callId)).at(-1) === node);

  const END: FlowNode = { type: 'hangup' };
  const ask = (choices: object): object => ({
    type: 'menu',
    prompt: { text: 'x' },
    choices,
    no_input: 'end',
    retries: 0,
  });

  it('answers, plays the menu, follows the choice, and ends', async () => {
    const { callId, legId, flowId } = await call({
      main: ask({ 1: 'bye' }),
      bye: { type: 'say', text: 'x', next: 'end' },
      end: END,
    });
    await rig.untilStatus(callId, 'answered');
    rig.engine.pressDigits(legId, '1');
    const row = await rig.untilStatus(callId, 'ended');
    expect(row.callflow_id).to.equal(flowId);
    expect(await path(callId)).to.deep.equal(['main', 'bye', 'end']);
    const [input] = await timelineOf(callId, 'flow.input');
    expect(input?.data).to.deep.equal({ digits_count: 1, by: 'length' });
  });

  it('continues after silence when the timer expires', async () => {
    const { callId } = await call({ main: ask({ 1: 'end' }), end: END });
    await rig.untilStatus(callId, 'ended');
    const [input] = await timelineOf(callId, 'flow.input');
    expect(input?.data).to.deep.equal({ digits_count: 0, by: 'silence' });
  });

  it('reports an auth_menu in the call’s event sequence, and never a gathered digit', async () => {
    const { callId, legId } = await call({
      pin: { type: 'gather', prompt: { text: 'x' }, variable: 'pin', max_digits: 4, next: 'sure', no_input: 'end' },
      sure: { type: 'auth_menu', prompt: { text: 'x' }, choices: { 7: 'end' }, no_input: 'end' },
      end: END,
    });
    await at(callId, 'pin');
    rig.engine.pressDigits(legId, '4711');
    await at(callId, 'sure');
    rig.engine.pressDigits(legId, '7');
    await rig.untilStatus(callId, 'ended');
    const eventTypes = await rig.eventTypes(callId);
    expect(eventTypes.slice(-2)).to.deep.equal(['call.input', 'call.ended']);
    const [event] = await rig.db.query<{ data: { input: unknown } }>(
      `SELECT data FROM events WHERE call_id = $1 AND type = 'call.input'`,
      [callId],
    );
    expect(event?.data.input).to.deep.equal({ node: 'sure', choice: '7', digits_count: 1 });
    const leaked = await rig.db.query(
      `SELECT type FROM call_timeline WHERE call_id = $1 AND data::text LIKE '%4711%'
       UNION ALL SELECT type FROM events WHERE call_id = $1 AND data::text LIKE '%4711%'
       UNION ALL SELECT 'kept after the end' FROM calls WHERE id = $1 AND program::text LIKE '%4711%'`,
      [callId],
    );
    expect(leaked).to.deep.equal([]);
  });

  it('is not answered if the flow rejects it before anything is played', async () => {
    const { callId } = await call({ end: { type: 'hangup', reason: 'busy' } });
    const row = await rig.untilStatus(callId, 'missed');
    expect(row).to.include({ disposition: 'busy', hangup_q850: 17, answered_at: null });
  });

  it('rings an agent while the caller hears ringing, and bridges both', async () => {
    const { callId, legId } = await call({
      n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
      end: END,
    });
    await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
    const [, agent] = await rig.legs(callId);
    rig.engine.remoteHangup(agent!.id);
    const row = await rig.untilStatus(callId, 'ended');
    expect(row.agent).to.equal('1001');
    expect(await path(callId)).to.deep.equal(['n']);
  });

  it('continues after a conversation if the node says so, and can dial again', async () => {
    const { callId, legId } = await call({
      n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end', after: 'm' },
      m: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end', after: 'end' },
      end: END,
    });
    const joined = (count: number): Promise<unknown> =>
      rig.until(async () => {
        const legs = await rig.legs(callId);
        const last = legs[count];
        return last !== undefined && rig.look(last.id)?.bridgeId === callId && rig.look(legId)?.bridgeId === callId;
      });
    await joined(1);
    rig.engine.remoteHangup((await rig.legs(callId))[1]!.id);
    await at(callId, 'm');
    await joined(2);
    rig.engine.remoteHangup((await rig.legs(callId))[2]!.id);
    await rig.untilStatus(callId, 'ended');
    expect(await path(callId)).to.deep.equal(['n', 'm', 'end']);
  });

  it('continues if the other party is busy', async () => {
    rig.parties.set('agent', PARTIES.busy);
    const { callId } = await call({
      n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'sorry' },
      sorry: {
        type: 'branch',
        cases: [{ variable: 'dial_status', operator: 'equals', value: 'busy', next: 'yes' }],
        next: 'end',
      },
      yes: { type: 'say', text: 'x', next: 'end' },
      end: END,
    });
    await rig.untilStatus(callId, 'ended');
    expect(await path(callId)).to.deep.equal(['n', 'sorry', 'yes', 'end']);
  });

  it('stops ringing the other party when the caller hangs up', async () => {
    rig.parties.set('agent', PARTIES.neverAnswers);
    const { callId, legId } = await call({
      n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
      end: END,
    });
    await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ringing');
    rig.engine.remoteHangup(legId);
    await rig.untilStatus(callId, 'missed');
    await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ended');
  });

  it('sends a request to an external system and uses the response', async () => {
    answers = [{ status: 200, body: '{"tier":"gold"}' }];
    const { callId } = await call({
      ask: { type: 'http', url: 'https://crm.example/{{line_number}}', response: { tier: 'tier' }, next: 'b' },
      b: { type: 'branch', cases: [{ variable: 'tier', operator: 'equals', value: 'gold', next: 'vip' }], next: 'end' },
      vip: { type: 'say', text: 'x', next: 'end' },
      end: END,
    });
    await rig.untilStatus(callId, 'ended');
    expect(await path(callId)).to.deep.equal(['ask', 'b', 'vip', 'end']);
    expect(sentRequests.map(({ url }) => url)).to.deep.equal([`https://crm.example/${encodeURIComponent(rig.line)}`]);
  });

  describe('with a split', () => {
    const trial = (next: readonly [string, string, string]): object => ({
      type: 'split',
      branches: [
        { weight: 10, next: next[0] },
        { weight: 30, next: next[1] },
        { weight: 60, next: next[2] },
      ],
    });

    it('gives each branch its share of the draws', async () => {
      const set = { type: 'set', values: {} };
      // Draws at the limits of the shares, one after another, and the branch of each.
      const rows: readonly (readonly [draw: number, branch: string])[] = [
        [0, 'a'],
        [0.0999, 'a'],
        [0.1, 'b'],
        [0.3999, 'b'],
        [0.4, 'c'],
        [1 - Number.EPSILON / 2, 'c'],
      ];
      draws = rows.map(([draw]) => draw);
      const nodes = rows.map((_, at): [string, object][] => [
        [`n${at}`, trial([`a${at}`, `b${at}`, `c${at}`])],
        ...['a', 'b', 'c'].map((branch): [string, object] => [`${branch}${at}`, { ...set, next: `n${at + 1}` }]),
      ]);
      const { callId } = await call({ ...Object.fromEntries(nodes.flat()), [`n${rows.length}`]: END });
      await rig.until(async () => (await path(callId)).at(-1) === `n${rows.length}`);
      const taken = (await path(callId)).filter((node) => /^[abc]/.test(String(node)));
      expect(taken).to.deep.equal(rows.map(([, branch], at) => `${branch}${at}`));
      expect(draws, 'one draw for each visit').to.deep.equal([]);
    });

    it('is not answered for the draw', async () => {
      draws = [0.5];
      const { callId } = await call({ n: trial(['bye', 'bye', 'end']), bye: END, end: { ...END, reason: 'busy' } });
      const row = await rig.untilStatus(callId, 'missed');
      expect(row).to.include({ disposition: 'busy', answered_at: null });
      expect(await path(callId)).to.deep.equal(['n', 'end']);
    });

    it('ends when the caller hangs up in the branch', async () => {
      draws = [0.2];
      const { callId, legId } = await call({ n: trial(['end', 'hello', 'end']), hello: ask({ 1: 'end' }), end: END });
      await rig.untilStatus(callId, 'answered');
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'ended');
      expect(await path(callId)).to.deep.equal(['n', 'hello']);
    });

    it('keeps its branch after a restart', async () => {
      draws = [0.2, 0.9];
      const { callId, legId } = await call({ n: trial(['end', 'main', 'end']), main: ask({ 1: 'end' }), end: END });
      await at(callId, 'main');
      await rig.restart();
      await rig.settle();
      rig.engine.pressDigits(legId, '1');
      await rig.untilStatus(callId, 'ended');
      expect(await path(callId)).to.deep.equal(['n', 'main', 'end']);
      expect(draws, 'nothing is drawn again').to.deep.equal([0.9]);
    });
  });

  it('joins a conference', async () => {
    const { callId, legId } = await call({ c: { type: 'conference', name: 'daily', next: 'end' }, end: END });
    await rig.until(
      async () =>
        (await rig.db.query(`SELECT id FROM conferences WHERE project_id = $1`, [rig.ground.projectId])).length === 1,
    );
    await rig.until(() => Promise.resolve((rig.look(legId)?.bridgeId ?? null) !== null));
    rig.engine.remoteHangup(legId);
    await rig.untilStatus(callId, 'ended');
  });

  it('starts recording at a node', async () => {
    const { callId } = await call({
      r: { type: 'record', action: 'start', next: 's' },
      s: { type: 'say', text: 'x'.repeat(50), next: 'stop' },
      stop: { type: 'record', action: 'stop', next: 'end' },
      end: END,
    });
    await rig.untilStatus(callId, 'ended');
    const recordings = await rig.db.query<{ status: string }>(`SELECT status FROM recordings WHERE call_id = $1`, [
      callId,
    ]);
    expect(recordings).to.have.length(1);
  });

  it('apologizes and ends if the flow cannot continue', async () => {
    const { callId } = await call({
      hello: { type: 'say', text: 'x', next: 'go' },
      go: { type: 'goto', callflow_id: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c19' },
    });
    const row = await rig.untilStatus(callId, 'ended');
    expect(row.disposition).to.equal('answered');
    const [fault] = await timelineOf(callId, 'flow.fault');
    expect(fault?.data).to.include({ node: 'go', reason: 'there is no such active flow' });
    expect((await timelineOf(callId, 'play.finished')).length, 'the greeting and the apology').to.equal(2);
  });

  it('returns from a queue without agents', async () => {
    const { callId } = await call({
      q: { type: 'queue', queue_id: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c18', next: 'sorry' },
      sorry: { type: 'say', text: 'x', next: 'end' },
      end: END,
    });
    await rig.untilStatus(callId, 'ended');
    expect(await path(callId)).to.deep.equal(['q', 'sorry', 'end']);
  });

  it('receives a customer by transfer, and releases the agent', async () => {
    const { organizationId, projectId } = rig.ground;
    const survey = graphDefinition.parse({ start: 'ask', nodes: { ask: ask({ 1: 'end' }), end: END } });
    const target = await activeFlow(rig.db, { organizationId, projectId }, survey);
    const { callId, legId } = await call({
      n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
      end: END,
    });
    await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
    const outcome = await rig.controller.command({
      type: 'transfer',
      callId,
      transferId: newId(),
      transferType: 'blind',
      to: { type: 'callflow', target },
      ringTimeoutSeconds: 30,
      requestId: 'r',
      actor: null,
    });
    expect(outcome).to.deep.equal({ result: 'done' });
    await at(callId, 'ask');
    await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ended');
    rig.engine.pressDigits(legId, '1');
    const row = await rig.untilStatus(callId, 'ended');
    expect(row.callflow_id).to.equal(target);
    expect(await rig.eventTypes(callId)).to.include('call.transferred');
  });

  it('fails if the voicemail box does not exist', async () => {
    const { callId } = await call({ v: { type: 'voicemail', number: '+966110000000' } });
    await rig.untilStatus(callId, 'failed');
    const [fault] = await timelineOf(callId, 'flow.fault');
    expect(fault?.data.reason).to.equal('there is no such voicemail box');
  });

  it('verifies a code that the caller enters', async () => {
    const { callId, legId } = await call({
      v: { type: 'verify', to: '0501234567', tries: 2, next: 'yes', failed: 'end' },
      yes: { type: 'say', text: 'x', next: 'end' },
      end: END,
    });
    await rig.until(async () => (await timelineOf(callId, 'play.finished')).length === 1);
    rig.engine.pressDigits(legId, '000000');
    await rig.until(async () => (await timelineOf(callId, 'play.finished')).length >= 2);
    rig.engine.pressDigits(legId, '123456');
    await rig.untilStatus(callId, 'ended');
    expect(await path(callId)).to.deep.equal(['v', 'yes', 'end']);
  });

  describe('after a restart', () => {
    it('repeats the menu of its node, in the flow version that it started with', async () => {
      const { callId, legId, flowId } = await call({
        first: { type: 'say', text: 'x', next: 'main' },
        main: ask({ 1: 'bye' }),
        bye: { type: 'say', text: 'x', next: 'end' },
        end: END,
      });
      await at(callId, 'main');
      await rig.db.query(`UPDATE callflows SET version = 2, status = 'inactive' WHERE id = $1`, [flowId]);
      await rig.restart();
      await rig.settle();
      rig.engine.pressDigits(legId, '1');
      await rig.untilStatus(callId, 'ended');
      expect(await path(callId)).to.deep.equal(['first', 'main', 'bye', 'end']);
    });

    it('keeps ringing the same party', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const { callId } = await call({
        n: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
        end: END,
      });
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ringing');
      await rig.restart();
      await rig.settle();
      const legs = await rig.legs(callId);
      expect(legs, 'no party is dialled twice').to.have.length(2);
      rig.engine.remoteHangup(legs[1]!.id);
      await rig.until(async () => (await path(callId)).at(-1) === 'end');
    });
  });
});
