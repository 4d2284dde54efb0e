import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import type { TrunkRow } from '../../../core/data/rows.js';
import type { CallerId } from '../../../core/model/call/caller-id.js';
import { presented, TrunkUse, type CarrierEnd } from '../../../core/services/trunks/trunk-use.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const offer = (trunkId: string, capacity: number | null = null) => ({ trunkId, capacity });

function useOf(isFree: (trunkId: string) => Promise<boolean>, trunk: TrunkRow | null = null) {
  const asked: string[] = [];
  const use = new TrunkUse({
    directory: {
      trunk: () => Promise.resolve(trunk),
      project: () => Promise.resolve({ main_number: '+966112345678' }),
    },
    calls: {
      take: (_, trunkId) => {
        asked.push(trunkId);
        return isFree(trunkId);
      },
    },
  });
  const take = async (offers: readonly ReturnType<typeof offer>[], down: readonly string[] = []) =>
    (await use.take('leg', offers, (id) => down.includes(id)))?.trunkId ?? null;
  return { use, asked, take };
}

describe('room on trunks', () => {
  it('is taken on the first trunk that has some; without a limit nobody is asked', async () => {
    const { take, asked } = useOf((id) => Promise.resolve(id !== 'full'));
    expect(await take([offer('full', 1), offer('free', 1), offer('other', 1)])).to.equal('free');
    expect(asked).to.deep.equal(['full', 'free']);
    expect(await take([offer('unlimited'), offer('free', 1)])).to.equal('unlimited');
    expect(asked).to.have.length(2);
    expect(await take([offer('full', 1)])).to.equal(null);
    expect(await take([])).to.equal(null);
  });

  it('is looked for on trunks that leave probes unanswered last', async () => {
    const { take } = useOf((id) => Promise.resolve(id !== 'full'));
    expect(await take([offer('silent'), offer('working')], ['silent'])).to.equal('working');
    expect(await take([offer('silent'), offer('full', 1)], ['silent'])).to.equal('silent');
    expect(await take([offer('silent')], ['silent'])).to.equal('silent');
  });

  it('does not count while the database is unavailable', async () => {
    const { take } = useOf(() => Promise.reject(new DatabaseUnavailable('away')));
    expect(await take([offer('limited', 1)])).to.equal('limited');
  });
});

describe('a caller on a trunk', () => {
  const CALLER = { number: '+966501234517', name: 'Acme' };
  const [MAIN, FIXED] = ['+966112345678', '+966119999999'];
  const endpoint = { type: 'trunk', trunkId: 't', number: '+966559876543' } as const;
  const on = (rules: Partial<TrunkRow>, caller: CallerId = CALLER, end: CarrierEnd = endpoint) => {
    const trunk = trunkRow('carrier', { caller_id_number: FIXED, ...rules });
    const { endpoint: dialled, ...rest } = presented(trunk, MAIN, end, caller);
    return { ...rest, ...('diversion' in dialled && { diverted: dialled.diversion }) };
  };

  it('is shown as is without rules', () => {
    expect(on({})).to.deep.equal({ callerId: CALLER });
  });

  it('shows the number of the rule', () => {
    const none = { asserted_identity: 'none' } as const;
    expect(on({ caller_id: 'main', ...none })).to.deep.equal({ callerId: { ...CALLER, number: MAIN } });
    expect(on({ caller_id: 'fixed', ...none })).to.deep.equal({ callerId: { ...CALLER, number: FIXED } });
    const withoutMain = presented(trunkRow('carrier', { caller_id: 'main', ...none }), null, endpoint, CALLER);
    expect(withoutMain, 'the project has none').to.deep.equal({ endpoint, callerId: CALLER });
  });

  it('is asserted with the number of the call, if the trunk shows another one', () => {
    expect(on({ caller_id: 'fixed' })).to.deep.equal({
      callerId: { ...CALLER, number: FIXED },
      identity: { asserted: CALLER.number, isPrivate: false },
    });
  });

  it('is asserted with the number of the rule', () => {
    const identity = { asserted: MAIN, isPrivate: false };
    expect(on({ asserted_identity: 'main' })).to.deep.equal({ callerId: CALLER, identity });
    expect(on({ asserted_identity: 'fixed' }).identity).to.deep.equal({ ...identity, asserted: FIXED });
    expect(on({ asserted_identity: 'none' })).to.deep.equal({ callerId: CALLER });
  });

  it('who shows no number stays withheld, and is marked so', () => {
    const withheld = { number: null, name: null };
    expect(on({ caller_id: 'fixed' }, withheld)).to.deep.equal({ callerId: withheld });
    expect(on({ asserted_identity: 'main', privacy: true }, withheld)).to.deep.equal({
      callerId: withheld,
      identity: { asserted: MAIN, isPrivate: true },
    });
    expect(on({ privacy: true }), 'one who shows a number is not marked').to.deep.equal({ callerId: CALLER });
  });

  it('who is forwarded is said to be, unless the trunk wants no Diversion', () => {
    const diversion = { number: MAIN, case: 'busy' } as const;
    const forwarded = { ...endpoint, diversion, forwarder: '1001' };
    expect(on({}, CALLER, forwarded)).to.deep.equal({ callerId: CALLER, diverted: diversion });
    expect(on({ diversion: false }, CALLER, forwarded)).to.deep.equal({ callerId: CALLER });
  });

  it('is shown as is while the trunk cannot be read', async () => {
    const { use } = useOf(() => Promise.resolve(true));
    expect(await use.present(endpoint, 'p', CALLER)).to.deep.equal({ endpoint, callerId: CALLER });
  });
});
