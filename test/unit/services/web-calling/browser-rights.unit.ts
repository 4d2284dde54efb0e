import { expect } from 'chai';
import type { WebSessionRow } from '../../../../core/data/rows.js';
import type { WebRights } from '../../../../core/model/web-calling.js';
import type { ProgramSpec } from '../../../../core/services/call-state/program.js';
import { mayReach, namedTarget } from '../../../../core/services/live-calls/routing/browser-rights.js';

const NUMBER = '+966501234567';
const AGENT: ProgramSpec = { type: 'connect', to: { type: 'agent', target: '1001' } };
const QUEUE: ProgramSpec = { type: 'queue', queueId: 'q' };
const FLOW: ProgramSpec = { type: 'callflow', callflowId: 'f', version: null };
const VOICEMAIL: ProgramSpec = { type: 'voicemail_access', agent: '1001' };

const session = (rights: Partial<WebRights>, agent: string | null = null): WebSessionRow =>
  ({
    agent,
    rights: { incoming: false, outgoing: [], numbers: null, caller_id_number: null, ...rights },
  }) as unknown as WebSessionRow;

describe('what a browser may call', () => {
  it('is nothing unless its session says so', () => {
    expect(mayReach(session({}), NUMBER, null)).to.equal(false);
    for (const spec of [AGENT, QUEUE, FLOW, VOICEMAIL]) expect(mayReach(session({}), null, spec)).to.equal(false);
  });

  it('is what its session names', () => {
    for (const [target, spec] of [
      ['agent', AGENT],
      ['queue', QUEUE],
      ['callflow', FLOW],
    ] as const) {
      const of = session({ outgoing: [target] });
      const reached = [AGENT, QUEUE, FLOW].filter((one) => mayReach(of, null, one));
      expect(reached, target).to.deep.equal([spec]);
    }
  });

  it('includes a number by its pattern, whatever answers it', () => {
    const of = session({ outgoing: ['number'], numbers: ['+9665*'] });
    expect(mayReach(of, NUMBER, null)).to.equal(true);
    expect(mayReach(of, '+966112345678', AGENT)).to.equal(false);
    expect(mayReach(session({ outgoing: ['agent'] }), NUMBER, AGENT)).to.equal(false);
  });

  it('includes the services of its agent', () => {
    expect(mayReach(session({}, '1001'), null, VOICEMAIL)).to.equal(true);
  });
});

describe('what a visitor’s browser may call', () => {
  const toAgent = (target: string): ProgramSpec => ({ type: 'connect', to: { type: 'agent', target } });
  const toQueue = (queueId: string): ProgramSpec => ({ type: 'queue', queueId });
  const reaches = (only: WebRights['only'], number: string | null, spec: ProgramSpec | null): boolean =>
    mayReach(session({ outgoing: ['agent', 'queue', 'number'], ...(only && { only }) }), number, spec);

  it('is one destination, whatever else the session names', () => {
    const agent = { type: 'agent', target: '1001' } as const;
    expect(reaches(agent, null, toAgent('1001'))).to.equal(true);
    expect(reaches(agent, null, toAgent('1002'))).to.equal(false);
    expect(reaches(agent, null, toQueue('1001'))).to.equal(false);
    const queue = { type: 'queue', target: 'q-1' } as const;
    expect(reaches(queue, null, toQueue('q-1'))).to.equal(true);
    expect(reaches(queue, null, toQueue('q-2'))).to.equal(false);
    for (const only of [agent, queue]) {
      expect(reaches(only, '+966112345678', toAgent('1001'))).to.equal(false);
      expect(reaches(only, '+966501234517', null)).to.equal(false);
      expect(reaches(only, null, { type: 'echo' })).to.equal(false);
      expect(reaches(only, null, null)).to.equal(false);
    }
  });

  it('is what the session names otherwise', () => {
    expect(reaches(undefined, null, toAgent('1002'))).to.equal(true);
    expect(reaches(undefined, '+966501234517', null)).to.equal(true);
  });
});

describe('the target that a browser names', () => {
  it('has a kind and a name', () => {
    expect(namedTarget('agent.1001')).to.deep.equal({ type: 'agent', name: '1001' });
    expect(namedTarget('queue.support.ar')).to.deep.equal({ type: 'queue', name: 'support.ar' });
    for (const other of ['1001', NUMBER, 'number.1', 'agent.', 'web.1', '.x'])
      expect(namedTarget(other)).to.equal(null);
  });
});
