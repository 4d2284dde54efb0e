import { expect } from 'chai';
import { mayReach } from '../../../core/services/live-calls/routing/browser-rights.js';
import type { ProgramSpec } from '../../../core/services/call-state/program.js';
import type { WebRights } from '../../../core/model/web-calling.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';

const toAgent = (target: string): ProgramSpec => ({ type: 'connect', to: { type: 'agent', target } });
const toQueue = (queueId: string): ProgramSpec => ({ type: 'queue', queueId });

describe('the rights of a visitor’s browser', () => {
  const reaches = (only: WebRights['only'], number: string | null, spec: ProgramSpec | null): boolean => {
    const rights = { incoming: false, outgoing: ['agent', 'queue', 'number'], numbers: null, caller_id_number: null };
    const session = webSessionRow({ organizationId: 'o', projectId: 'p' }, {});
    return mayReach({ ...session, rights: { ...rights, ...(only && { only }) } as WebRights }, number, spec);
  };

  it('are one destination, whatever else the session names', () => {
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

  it('are those of the session otherwise', () => {
    expect(reaches(undefined, null, toAgent('1002'))).to.equal(true);
    expect(reaches(undefined, '+966501234517', null)).to.equal(true);
  });
});
