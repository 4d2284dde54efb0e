import { expect } from 'chai';
import { chooseEngine, type EngineOffer } from '../../../core/services/engines/choice.js';

type Kind = EngineOffer['kind'];

function offer(name: string, changes: Partial<EngineOffer> = {}): EngineOffer {
  return {
    id: `id-${name}`,
    name,
    kind: 'asterisk',
    status: 'up',
    sip_status: 'up',
    weight: 1,
    max_calls: null,
    draining: false,
    leased: true,
    live_calls: 0,
    ...changes,
  };
}

const ASTERISK: readonly Kind[] = ['asterisk'];

interface Case {
  readonly title: string;
  readonly offers: readonly EngineOffer[];
  readonly chosen: string | null;
  readonly kinds?: readonly Kind[];
  readonly preferred?: readonly (readonly string[])[];
}

describe('the engine for a new call', () => {
  const cases: readonly Case[] = [
    { title: 'null if there is none', offers: [], chosen: null },
    { title: 'the only one', offers: [offer('a')], chosen: 'a' },
    { title: 'not one without an owner', offers: [offer('a', { leased: false })], chosen: null },
    { title: 'not an unreachable one', offers: [offer('a', { status: 'unreachable' }), offer('b')], chosen: 'b' },
    { title: 'not one with SIP down', offers: [offer('a', { sip_status: 'down' }), offer('b')], chosen: 'b' },
    { title: 'one without a SIP health check', offers: [offer('a', { sip_status: null })], chosen: 'a' },
    { title: 'not a draining one', offers: [offer('a', { draining: true }), offer('b')], chosen: 'b' },
    {
      title: 'not a full one',
      offers: [offer('a', { max_calls: 2, live_calls: 2 }), offer('b', { live_calls: 9 })],
      chosen: 'b',
    },
    { title: 'one with room for one more call', offers: [offer('a', { max_calls: 2, live_calls: 1 })], chosen: 'a' },
    { title: 'null if all are full', offers: [offer('a', { max_calls: 1, live_calls: 1 })], chosen: null },
    { title: 'not one of another kind', offers: [offer('a', { kind: 'simulator' }), offer('b')], chosen: 'b' },
    {
      title: 'one of any of the kinds',
      offers: [offer('a', { live_calls: 1 }), offer('f', { kind: 'freeswitch' })],
      kinds: ['asterisk', 'freeswitch'],
      chosen: 'f',
    },
    { title: 'the one with fewer calls', offers: [offer('a', { live_calls: 2 }), offer('b')], chosen: 'b' },
    { title: 'the first by name if all else is equal', offers: [offer('b'), offer('a')], chosen: 'a' },
    {
      title: 'the heavier one, until it has its share',
      offers: [offer('a'), offer('b', { weight: 2, live_calls: 0 })],
      chosen: 'b',
    },
    {
      title: 'the lighter one once the heavier has twice as many',
      offers: [offer('a', { live_calls: 1 }), offer('b', { weight: 2, live_calls: 4 })],
      chosen: 'a',
    },
    {
      title: 'a preferred one, however busy',
      offers: [offer('a'), offer('b', { live_calls: 50 })],
      preferred: [['id-b']],
      chosen: 'b',
    },
    {
      title: 'of the first preferred group that can take it',
      offers: [offer('a'), offer('b', { draining: true }), offer('c', { live_calls: 3 })],
      preferred: [['id-gone'], ['id-b'], ['id-c']],
      chosen: 'c',
    },
    {
      title: 'the preferred one with fewer calls for its weight',
      offers: [offer('a', { live_calls: 2 }), offer('b', { live_calls: 3, weight: 2 }), offer('c')],
      preferred: [['id-a', 'id-b']],
      chosen: 'b',
    },
    {
      title: 'any other if the preferred one cannot take it',
      offers: [offer('a'), offer('b', { sip_status: 'down' })],
      preferred: [['id-b']],
      chosen: 'a',
    },
  ];

  for (const { title, offers, chosen, kinds = ASTERISK, preferred = [] } of cases) {
    it(`is ${title}`, () => expect(chooseEngine(offers, kinds, preferred)?.name ?? null).to.equal(chosen));
  }

  it('is distributed in proportion to the weights', () => {
    const engines = [offer('a', { weight: 1 }), offer('b', { weight: 2 }), offer('c', { weight: 5 })];
    const calls = new Map(engines.map(({ name }) => [name, 0]));
    for (let placed = 0; placed < 80; placed++) {
      const loaded = engines.map((engine) => ({ ...engine, live_calls: calls.get(engine.name)! }));
      const { name } = chooseEngine(loaded, ['asterisk'])!;
      calls.set(name, calls.get(name)! + 1);
    }
    expect(Object.fromEntries(calls)).to.deep.equal({ a: 10, b: 20, c: 50 });
  });
});
