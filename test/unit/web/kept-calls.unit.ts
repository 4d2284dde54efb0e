import { expect } from 'chai';
import { KeptCalls, takeNearest, type KeptCall } from '../../../packages/web/src/calls/kept-calls.js';

const NOW = 1_000_000;

const keptCall = (address: string, secondsAgo: number): KeptCall => ({
  ...{ direction: 'outgoing', name: null, address, isMuted: false, isHeld: false },
  ...{ startedAt: NOW - secondsAgo * 1_000, connectedAt: NOW - secondsAgo * 1_000 },
});

describe('the calls that a page keeps', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
  };
  const next = (): KeptCalls => new KeptCalls(storage);
  beforeEach(() => stored.clear());

  it('are found by the next page of the same account only, until they are over', () => {
    const calls = [keptCall('1001', 60)];
    next().keep('web.one', calls);
    expect(next().of('web.one')).to.deep.equal(calls);
    expect(next().of('web.two')).to.deep.equal([]);
    next().keep('web.one', []);
    expect(stored.size).to.equal(0);
    expect(next().of('web.one')).to.deep.equal([]);
  });

  it('are none for a page that keeps nothing, with a full storage, or with something else in it', () => {
    const nothing = new KeptCalls(null);
    nothing.keep('web.one', [keptCall('1001', 60)]);
    expect(nothing.of('web.one')).to.deep.equal([]);
    const full = new KeptCalls({ ...storage, setItem: () => expect.fail('full') });
    full.keep('web.one', [keptCall('1001', 60)]);
    expect(stored.size).to.equal(0);
    stored.set('hatif.web.calls', 'no JSON');
    expect(next().of('web.one')).to.deep.equal([]);
  });

  it('are distinguished by how long ago they were connected', () => {
    const calls = [keptCall('1001', 600), keptCall('1002', 20)];
    expect(takeNearest(calls, 21, NOW)?.address).to.equal('1002');
    expect(takeNearest(calls, 21, NOW)?.address).to.equal('1001');
    expect(takeNearest(calls, 21, NOW)).to.equal(undefined);
  });
});
