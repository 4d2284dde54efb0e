import { expect } from 'chai';
import type { AgentRow, NumberRow } from '../../../core/data/rows.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';

const NUMBER = '+966112345678';
const FORWARDED = '+966112345679';

/** The route of the project `a` to NUMBER, with these numbers in the directory. */
async function routeTo(numbers: Readonly<Record<string, Partial<NumberRow>>>, hasTrunk = true) {
  const trunks = hasTrunk ? [{ trunkId: 't', capacity: null }] : [];
  const routing = new DirectoryRouting({
    numberByE164: (e164) => {
      const known = numbers[e164];
      return Promise.resolve(known ? ({ e164, source: 'operator', binding: null, ...known } as NumberRow) : null);
    },
    agentByExtension: (projectId, agent) => Promise.resolve({ aor: `${projectId}-${agent}`, agent } as AgentRow),
    trunksTo: () => Promise.resolve(trunks),
    isDemoNumber: () => Promise.resolve(false),
    ringingBrowser: () => Promise.resolve(null),
  });
  return routing.routeTo('a', { type: 'number', target: NUMBER });
}
const INSIDE = { endpoint: { type: 'inside', number: NUMBER }, number: NUMBER, agent: null };
const TRUNK = {
  endpoint: { type: 'trunk', trunkId: 't', number: NUMBER },
  number: NUMBER,
  billable: true,
  agent: null,
  trunks: [{ trunkId: 't', capacity: null }],
};
const agent = { type: 'agent', target: '1001' };

describe('the route to a number', () => {
  for (const type of ['queue', 'callflow', 'voicemail', 'echo', 'sip', 'virtual_number'] as const) {
    it(`of the project stays inside and costs nothing if it is bound to ${type}, also without a trunk`, async () => {
      const numbers = { [NUMBER]: { project_id: 'a', binding: { type, target: 'x' } } };
      for (const hasTrunk of [true, false]) {
        expect(await routeTo(numbers, hasTrunk)).to.deep.equal({ ...INSIDE, billable: false });
      }
    });
  }

  it('of the project stays inside if nothing is bound to it', async () => {
    expect(await routeTo({ [NUMBER]: { project_id: 'a' } })).to.deep.equal({ ...INSIDE, billable: false });
  });

  it('of the project rings the agent that it is bound to as a leg of the call', async () => {
    expect(await routeTo({ [NUMBER]: { project_id: 'a', binding: agent } })).to.deep.equal({
      endpoint: { type: 'softphone', aor: 'a-1001' },
      number: NUMBER,
      billable: false,
      agent: '1001',
    });
  });

  for (const binding of [null, agent, { type: 'number', target: FORWARDED }, { type: 'queue', target: 'x' }]) {
    it(`of another project stays inside and is charged if it is bound to ${binding?.type ?? 'nothing'}`, async () => {
      expect(await routeTo({ [NUMBER]: { project_id: 'b', binding } })).to.deep.equal({ ...INSIDE, billable: true });
    });
  }

  it('of another project leaves by the trunk if another carrier delivers it', async () => {
    expect(await routeTo({ [NUMBER]: { project_id: 'b', source: 'own', binding: agent } })).to.deep.equal(TRUNK);
    expect(await routeTo({ [NUMBER]: { project_id: 'a', source: 'own' } })).to.deep.include(INSIDE);
  });

  it('follows a forward of the project to a number of another project', async () => {
    const numbers = {
      [NUMBER]: { project_id: 'a', binding: { type: 'number', target: FORWARDED } },
      [FORWARDED]: { project_id: 'b', binding: agent },
    };
    const endpoint = { type: 'inside', number: FORWARDED };
    expect(await routeTo(numbers)).to.deep.equal({ endpoint, number: FORWARDED, billable: true, agent: null });
  });

  it('of nobody leaves by the trunk', async () => {
    expect(await routeTo({})).to.deep.equal(TRUNK);
    expect(await routeTo({}, false)).to.equal(null);
  });
});
