import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import type { SoftphonePlace } from '../../../core/data/repositories/engines/registrations.js';
import type { DialRoute } from '../../../core/services/routing/destinations.js';
import { PeerRouting } from '../../../core/services/routing/peers.js';

const HERE = 'here';
const TO = { type: 'agent', target: '1001' } as const;
const SOFTPHONE: DialRoute = {
  endpoint: { type: 'softphone', aor: 'a1' },
  number: null,
  billable: false,
  agent: '1001',
};

describe('calling a softphone from one of several engines', () => {
  const routed = (places: () => Promise<readonly SoftphonePlace[]>) =>
    new PeerRouting(HERE, { routeTo: () => Promise.resolve(SOFTPHONE) }, places).routeTo('project', TO);
  const at = (...engines: readonly (readonly [string, boolean])[]) =>
    routed(() => Promise.resolve(engines.map(([engine_id, dialable]) => ({ engine_id, dialable }))));

  it('is direct if the softphone is registered here, or nowhere', async () => {
    expect(await at(['there', true], [HERE, true])).to.deep.equal(SOFTPHONE);
    expect(await at()).to.deep.equal(SOFTPHONE);
    expect(await at(['there', false])).to.deep.equal(SOFTPHONE);
  });

  it('goes through the engine where the softphone is registered, and keeps its address', async () => {
    const endpoint = { type: 'trunk', trunkId: 'there', number: 'a1', aor: 'a1' };
    expect(await at(['away', false], ['there', true])).to.deep.equal({ ...SOFTPHONE, endpoint });
  });

  it('is direct while the database is unavailable', async () => {
    expect(await routed(() => Promise.reject(new DatabaseUnavailable('gone')))).to.deep.equal(SOFTPHONE);
  });
});
