import { expect } from 'chai';
import type { EngineWithLoad } from '../../../core/data/repositories/engines/engines.js';
import type { TrunkRow } from '../../../core/data/rows.js';
import { EdgeDirectory } from '../../../sip/calls/directory.js';
import { quiet } from '../../support/logger.js';
import { engineRow } from '../../support/rows/rows.js';

const engine = (name: string, changes: Partial<EngineWithLoad> = {}): EngineWithLoad => ({
  ...engineRow({ id: name, name, kind: 'asterisk', status: 'up', sip_host: '192.0.2.1', sip_port: 5080 }),
  leased: true,
  live_calls: 0,
  ...changes,
});

describe('the engines and trunks that the edge knows', () => {
  async function knowing(
    engines: readonly EngineWithLoad[],
    trunks: readonly Partial<TrunkRow>[] = [],
  ): Promise<EdgeDirectory> {
    const directory = new EdgeDirectory({
      engines: () => Promise.resolve(engines),
      trunks: () => Promise.resolve(trunks as TrunkRow[]),
      resolve: (host) => (host === 'away.example' ? Promise.reject(new Error('no address')) : Promise.resolve([host])),
      ...{ drachtioHost: '192.0.2.4', relayHost: '192.0.2.5', externalHost: null, localNetworks: [] },
      log: quiet,
    });
    await directory.refresh();
    return directory;
  }
  const order = (directory: EdgeDirectory): string[] => directory.forNewCall().map(({ name }) => name);

  it('are offered calls by their load and weight, also between two readings', async () => {
    const directory = await knowing([
      engine('a', { live_calls: 1 }),
      engine('b'),
      engine('c', { weight: 4, live_calls: 2 }),
    ]);
    expect(order(directory)).to.deep.equal(['c', 'b', 'a']);
    directory.passedTo('c');
    directory.passedTo('c');
    expect(order(directory)).to.deep.equal(['b', 'c', 'a']);
  });

  it('come last while they take no calls, because they still take emergency calls', async () => {
    const directory = await knowing([
      engine('draining', { draining: true }),
      engine('full', { max_calls: 1, live_calls: 1, weight: 9 }),
      engine('busy', { live_calls: 50 }),
    ]);
    expect(order(directory)[0]).to.equal('busy');
    expect(order(directory)).to.have.length(3);
    const full = directory.forNewCall().filter(({ isFull }) => isFull);
    expect(full.map(({ name }) => name)).to.deep.equal(['full']);
  });

  it('fill up between two readings', async () => {
    const directory = await knowing([engine('small', { max_calls: 1 }), engine('busy', { live_calls: 50 })]);
    expect(order(directory)).to.deep.equal(['small', 'busy']);
    directory.passedTo('small');
    expect(order(directory)).to.deep.equal(['busy', 'small']);
  });

  it('are left out without a SIP address', async () => {
    const directory = await knowing([engine('a', { sip_host: null }), engine('b', { sip_host: 'away.example' })]);
    expect(order(directory)).to.deep.equal(['b']);
    expect(directory.isEngine({ host: 'away.example', port: 5080 })).to.equal(false);
    expect(directory.hosts()).to.deep.equal(['away.example']);
  });

  it('are recognized by address and port', async () => {
    const directory = await knowing(
      [engine('a')],
      [
        { id: 'any port', inbound_addresses: ['198.51.100.0/24'] },
        { id: 'one port', inbound_addresses: ['203.0.113.7:5080', '[2001:db8::7]:5060'] },
      ],
    );
    const from = (host: string, port: number, transport: 'udp' | 'tcp' = 'udp'): string | null => {
      return directory.trunkAt({ host, port, transport })?.id ?? null;
    };
    expect(directory.isEngine({ host: '192.0.2.1', port: 5080 })).to.equal(true);
    expect(directory.isEngine({ host: '192.0.2.1', port: 5081 })).to.equal(false);
    expect(from('192.0.2.1', 5080)).to.equal(null);
    expect(from('198.51.100.9', 1024, 'tcp')).to.equal('any port');
    expect(from('203.0.113.7', 5080)).to.equal('one port');
    expect(from('203.0.113.7', 5081)).to.equal(null);
    expect(from('2001:db8::7', 5060)).to.equal('one port');
  });

  it('are probed by the edge unless engines register at them', async () => {
    const usual = { enabled: true, probed: true, registers: false };
    const directory = await knowing(
      [],
      [
        { ...usual, id: 'usual' },
        { ...usual, id: 'off', enabled: false },
        { ...usual, id: 'silent', probed: false },
        { ...usual, id: 'registering', registers: true },
      ],
    );
    expect(directory.probed().map(({ id }) => id)).to.deep.equal(['usual']);
  });

  it('are reached through drachtio-server and the relay, which on one machine send from any of its addresses', async () => {
    const apart = await knowing([]);
    expect([apart.drachtio(), apart.relay()]).to.deep.equal([['192.0.2.4'], ['192.0.2.5']]);
    const beside = new EdgeDirectory({
      ...{ engines: () => Promise.resolve([]), trunks: () => Promise.resolve([]), log: quiet },
      resolve: (host) => Promise.resolve(host === 'pbx.example' ? ['10.1.2.3'] : host === 'away.example' ? [] : [host]),
      ...{ drachtioHost: '127.0.0.1', relayHost: '192.0.2.5' },
      ...{ externalHost: '203.0.113.5', localNetworks: ['10.0.0.0/8'] },
    });
    await beside.refresh();
    expect(beside.drachtio()[0]).to.equal('127.0.0.1');
    expect(beside.relay()).to.include.members(['192.0.2.5', '127.0.0.1']);
    expect([apart.media(), beside.media()]).to.deep.equal([null, '203.0.113.5']);
    expect(['10.1.2.3', '192.0.2.9', 'pbx.example'].map((host) => beside.isNear(host))).to.deep.equal([
      true,
      false,
      false,
    ]);
    const near = ['10.1.2.3', '192.0.2.9', 'pbx.example', 'away.example'].map((host) => beside.isHostNear(host));
    expect(await Promise.all(near)).to.deep.equal([true, false, true, false]);
    expect(await apart.isHostNear('10.1.2.3'), 'no network is near').to.equal(false);
  });
});
