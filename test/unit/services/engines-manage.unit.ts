import { expect } from 'chai';
import type { Engines, ManagedEngine } from '../../../core/data/repositories/engines/engines.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { parseSipAddress } from '../../../core/model/host-port.js';
import { EngineService, type NewEngine } from '../../../core/services/engines/manage.js';
import { engineRow } from '../../support/rows/rows.js';

describe('adding engines', () => {
  const cipher = new Cipher('a secret of at least thirty-two characters');
  let added: ManagedEngine[];
  let announced: number;

  const engines = {
    add: (engine: ManagedEngine) => {
      added.push(engine);
      return Promise.resolve(engineRow(engine));
    },
  } as unknown as Engines;
  const service = new EngineService({
    engines,
    cipher,
    announce: () => {
      announced++;
      return Promise.resolve();
    },
  });
  const some: NewEngine = {
    name: 'one',
    kind: 'asterisk',
    address: 'https://pbx.example/ari',
    user: 'hatif',
    password: 's3cret',
    sip: null,
    weight: 1,
    maxCalls: null,
    details: null,
    recordings: null,
    wsUrl: null,
  };

  beforeEach(() => {
    [added, announced] = [[], 0];
  });

  for (const [kind, address, stored] of [
    ['asterisk', 'https://pbx.example/ari', { url: 'https://pbx.example', user: 'hatif' }],
    ['asterisk', 'http://10.0.0.7:8088', { url: 'http://10.0.0.7:8088', user: 'hatif' }],
    ['freeswitch', '10.0.0.8', { host: '10.0.0.8', port: 8021 }],
    ['freeswitch', '[2001:db8::1]:8022', { host: '2001:db8::1', port: 8022 }],
  ] as const) {
    it(`stores the control address ${address} of ${kind}, encrypts the password and announces the engine`, async () => {
      const shown = await service.add({ ...some, kind, address });
      expect(added[0]?.address).to.deep.equal(stored);
      expect(cipher.open(added[0]!.password!)).to.equal('s3cret');
      expect(shown).not.to.have.property('password');
      expect(announced).to.equal(1);
    });
  }

  for (const [field, changes] of [
    ['name', { name: 'a b' }],
    ['kind', { kind: 'simulator' }],
    ['address', { address: 'http://user:pw@a:1' }],
    ['address', { kind: 'freeswitch', address: 'http://a' }],
    ['user', { user: 'a:b' }],
    ['password', { password: 'a\nb' }],
    ['sip', { sip: 'a:70000' }],
    ['ws_url', { wsUrl: 'http://a:1' }],
    ['ws_url', { wsUrl: 'ws://user:pw@a:1' }],
    ['weight', { weight: 1.5 }],
    ['max_calls', { maxCalls: 0 }],
  ] as const) {
    it(`refuses ${JSON.stringify(changes)}`, async () => {
      const error = await service.add({ ...some, ...changes }).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(HatifError);
      expect(JSON.stringify((error as HatifError).details)).to.contain(field);
      expect(added).to.deep.equal([]);
    });
  }

  it('says where the engine takes browsers', async () => {
    const asterisk = await service.add({ ...some, address: 'http://10.0.0.7:8088' });
    expect(asterisk.ws_url).to.equal('ws://10.0.0.7:8088/ws');
    const freeswitch = { ...some, kind: 'freeswitch', address: '10.0.0.8' };
    expect((await service.add(freeswitch)).ws_url).to.equal(null);
    expect((await service.add({ ...freeswitch, wsUrl: 'ws://10.0.0.8:5066' })).ws_url).to.equal('ws://10.0.0.8:5066');
  });

  it('uses SIP port 5060 unless another one is given', () => {
    expect(parseSipAddress('pbx.example')).to.deep.equal({ host: 'pbx.example', port: 5060 });
    expect(parseSipAddress('[::1]:5070')).to.deep.equal({ host: '::1', port: 5070 });
  });
});
