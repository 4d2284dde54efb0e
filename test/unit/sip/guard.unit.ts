import { expect } from 'chai';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { SipLockoutRow, SipNetworkRow } from '../../../core/data/rows.js';
import { Guard } from '../../../sip/guards/guard.js';
import { quiet } from '../../support/logger.js';
import { ownMemory } from '../../support/peers/sip/memory.js';

const at = (host: string) => ({ host, port: 5060, transport: 'udp' }) as const;
const STRANGER = at('203.0.113.9');
/** Public addresses: those of documents are in no country. */
const [SAUDI, DUTCH, UNKNOWN] = ['212.26.1.1', '193.0.6.139', '8.8.8.8'] as const;

describe('the guard', () => {
  let clock: VirtualClock;
  let guard: Guard;
  let rows: SipLockoutRow[];
  let networks: SipNetworkRow[];
  let offices: string[];
  let memory: ReturnType<typeof ownMemory>;
  let isDatabaseAway: boolean;
  let hasCountries: boolean;
  let reported: string[];

  beforeEach(() => {
    [clock, rows, networks, offices, memory] = [new VirtualClock(), [], [], [], ownMemory()];
    [isDatabaseAway, hasCountries, reported] = [false, true, []];
    guard = new Guard({
      lockouts: {
        lock(subject, firstSeconds) {
          if (isDatabaseAway) return Promise.reject(new Error('the database is away'));
          const until = new Date(clock.now().getTime() + firstSeconds * 1000);
          const row = { ...subject, times: 1, locked_at: clock.now(), locked_until: until };
          rows.push(row);
          return Promise.resolve({ ...row, is_new: true });
        },
        current: () => Promise.resolve(rows.filter(({ locked_until: until }) => until > clock.now())),
        removeForgotten: () => Promise.resolve(),
      },
      networks: { list: () => Promise.resolve(networks) },
      contacts: { isSource: (host) => Promise.resolve(offices.includes(host)) },
      ...{ memory, clock, log: quiet },
      countries: {
        load: () => (hasCountries ? Promise.resolve() : Promise.reject(new Error('no such file'))),
        of: (address) => ({ [SAUDI]: 'SA', [DUTCH]: 'NL' })[address] ?? null,
      },
      observe: () => undefined,
      reportToAgent: ({ subject }) => Promise.resolve(void reported.push(subject)),
    });
  });
  const isServed = (source: ReturnType<typeof at>): boolean => guard.refusalOf(source) === null;

  const guess = async (times: number, source = STRANGER, user = '1001'): Promise<void> => {
    for (let count = 0; count < times; count += 1) await guard.sawWrongPassword(source, user);
  };
  const ofAddresses = (): SipLockoutRow[] => rows.filter(({ kind }) => kind === 'address');
  const listed = async (...lists: readonly [string, SipNetworkRow['rule']][]): Promise<void> => {
    networks = lists.map(([network, rule]) => ({ network, rule, note: null, created_at: clock.now() }));
    await guard.refresh();
  };

  it('locks an address out after ten wrong passwords, for a minute', async () => {
    await guess(9);
    expect(isServed(STRANGER)).to.equal(true);
    await guess(1);
    expect(isServed(STRANGER)).to.equal(false);
    expect(isServed(at('203.0.113.10'))).to.equal(true);
    expect(memory.notices).to.deep.equal([{ type: 'guards' }]);
    await clock.advance(60_000);
    expect(isServed(STRANGER)).to.equal(true);
  });

  it('begins to count again after a lockout, and writes each one once', async () => {
    await guess(15);
    expect(ofAddresses()).to.have.length(1);
    await clock.advance(60_000);
    await guess(4);
    expect(isServed(STRANGER)).to.equal(true);
    await guess(6);
    expect(ofAddresses()).to.have.length(2);
  });

  it('bears more of an address where phones are registered, and everything of an allowed one', async () => {
    offices = ['203.0.113.9'];
    await guess(99);
    expect(isServed(STRANGER)).to.equal(true);
    await guess(1);
    expect(isServed(STRANGER)).to.equal(false);
    await listed(['203.0.113.0/24', 'allow']);
    expect(isServed(STRANGER)).to.equal(true);
    await guess(200, at('203.0.113.11'), 'other');
    expect(isServed(at('203.0.113.11'))).to.equal(true);
  });

  it('locks a user out after twenty wrong passwords from many addresses', async () => {
    for (let host = 1; host <= 20; host += 1) await guess(1, at(`203.0.113.${host}`));
    expect(guard.isUserLocked('1001')).to.equal(true);
    expect(guard.isUserLocked('1002')).to.equal(false);
    expect(reported).to.deep.equal(['1001']);
    expect(isServed(at('203.0.113.1'))).to.equal(true);
  });

  it('locks a scanner out at once, but no address with phones', async () => {
    await guard.sawScanner(STRANGER);
    expect(isServed(STRANGER)).to.equal(false);
    offices = ['203.0.113.20'];
    await guard.sawScanner(at('203.0.113.20'));
    expect(isServed(at('203.0.113.20'))).to.equal(true);
  });

  it('knows scanners by their names', () => {
    const agents = ['friendly-scanner', 'SIPVicious', 'sipcli/v1.8', 'Linphone/5.2', 'baresip v1.0.0', null];
    expect(agents.map((agent) => guard.isScanner(agent))).to.deep.equal([true, true, true, false, false, false]);
  });

  it('follows the rule of the smallest network', async () => {
    await listed(['203.0.113.0/24', 'deny'], ['203.0.113.8/29', 'allow'], ['2001:db8::/32', 'deny']);
    const served = ['203.0.113.7', '203.0.113.9', '198.51.100.1', '2001:db8::1'].map((host) => isServed(at(host)));
    expect(served).to.deep.equal([false, true, true, false]);
  });

  it('serves no denied country, unless a network in it is allowed', async () => {
    await listed(['NL', 'deny'], ['193.0.7.0/24', 'allow']);
    const reasons = [DUTCH, SAUDI, UNKNOWN, '10.0.0.1'].map((host) => guard.refusalOf(at(host)));
    expect(reasons).to.deep.equal(['country', null, null, null]);
    await listed(['NL', 'deny'], ['193.0.6.0/24', 'allow']);
    expect(guard.refusalOf(at(DUTCH))).to.equal(null);
  });

  it('serves only allowed countries and private addresses, once there is an allowed one', async () => {
    await listed(['SA', 'allow']);
    const reasons = [DUTCH, SAUDI, UNKNOWN, '10.0.0.1', 'fd00::1'];
    expect(reasons.map((host) => guard.refusalOf(at(host)))).to.deep.equal(['country', null, 'country', null, null]);
  });

  it('applies no rule for countries while it cannot tell them', async () => {
    hasCountries = false;
    await listed(['SA', 'allow']);
    expect(guard.refusalOf(at(UNKNOWN))).to.equal(null);
  });

  it('says why somebody is not served', async () => {
    await listed(['203.0.113.0/24', 'deny']);
    expect(guard.refusalOf(STRANGER)).to.equal('denied');
    await listed();
    await guess(10);
    expect(guard.refusalOf(STRANGER)).to.equal('locked_out');
  });

  it('takes over what other processes locked out, and forgets what was released', async () => {
    const until = new Date(clock.now().getTime() + 60_000);
    const times = { reason: 'password', times: 3, locked_at: clock.now(), locked_until: until } as const;
    rows = [{ kind: 'address', subject: STRANGER.host, ...times }];
    await guard.refresh();
    expect(isServed(STRANGER)).to.equal(false);
    rows = [];
    await guard.refresh();
    expect(isServed(STRANGER)).to.equal(true);
  });

  it('keeps a lockout that was written while the others were read', async () => {
    const reading = guard.refresh();
    await guess(10);
    await reading;
    expect(isServed(STRANGER)).to.equal(false);
    await guard.refresh();
    expect(isServed(STRANGER)).to.equal(false);
  });

  it('locks out in this process while the database is away', async () => {
    isDatabaseAway = true;
    await guess(10);
    expect(isServed(STRANGER)).to.equal(false);
  });
});
