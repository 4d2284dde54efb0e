import { expect } from 'chai';
import type { SipContactRow } from '../../../core/data/rows.js';
import { EDGE_HEADER, edgeMark } from '../../../core/model/edge-mark.js';
import { EdgeCalls } from '../../../sip/calls/calls.js';
import { isReachable, targetOf } from '../../../sip/calls/targets.js';
import { quiet } from '../../support/logger.js';
import { contactRow, PHONE, sipRequest } from '../../support/peers/sip-request.js';

const CONTACT = `Contact: <sip:1001@${PHONE.host}:${PHONE.port}>`;
const mac = (text: string): string => `mac-of-${text.replace('/', '-')}`;

describe('where a phone is called', () => {
  const udp = PHONE;
  for (const [uri, source, expected] of [
    ['sip:1001@192.0.2.10:5062', udp, true],
    ['sip:1001@192.0.2.10:5062;transport=udp', udp, true],
    ['sip:1001@192.0.2.10', { ...udp, port: 5060 }, true],
    ['sip:1001@192.0.2.10', udp, false],
    ['sip:1001@10.0.0.5:5062', udp, false],
    ['sip:1001@192.0.2.10:5062;transport=tcp', udp, false],
    ['sip:1001@192.0.2.10:5062;transport=tcp', { ...udp, port: 49_152, transport: 'tcp' }, true],
    ['sip:1001@192.0.2.10;transport=tcp', { ...udp, transport: 'tcp' }, false],
    ['sip:1001@192.0.2.10:5062;transport=tls', { ...udp, transport: 'tls' }, false],
    ['sips:1001@192.0.2.10:5062', udp, false],
    ['sip:x@f3k2.invalid;transport=ws', { ...udp, transport: 'ws' }, false],
    ['nonsense', udp, false],
  ] as const) {
    it(`${uri} from ${source.host}:${source.port}/${source.transport} is ${expected ? '' : 'not '}reachable`, () => {
      expect(isReachable(uri, source)).to.equal(expected);
    });
  }

  it('is its contact, else where it sends from, else behind its path', () => {
    expect(targetOf(contactRow())).to.deep.equal({ uri: 'sip:1001@192.0.2.10:5062', path: [], isReachable: true });
    const web = { uri: 'sip:abc@f3k2.invalid;transport=ws', transport: 'ws', source_port: 49_200 } as const;
    expect(targetOf(contactRow(web))).to.deep.equal({
      uri: 'sip:abc@192.0.2.10:49200;transport=ws',
      path: [],
      isReachable: false,
    });
    expect(targetOf(contactRow({ source_host: '2001:db8::1' })).uri).to.equal(
      'sip:1001@[2001:db8::1]:5062;transport=udp',
    );
    const path = ['sip:p1.example;lr'];
    expect(targetOf(contactRow({ path }))).to.deep.equal({ uri: 'sip:1001@192.0.2.10:5062', path, isReachable: false });
  });
});

describe('a call of a phone', () => {
  const ENGINES = [
    { id: 'one', name: 'one', host: '192.0.2.1', port: 5080 },
    { id: 'two', name: 'two', host: '192.0.2.2', port: 5080 },
  ];
  let probed: string[];
  let passed: string[];
  let now = 0;
  const silent = new Set<string>();

  const calls = new EdgeCalls({
    directory: { forNewCall: () => ENGINES, passedTo: (id) => void passed.push(id) },
    location: { of: () => Promise.resolve([]) },
    probe: {
      probe(host) {
        probed.push(host);
        return Promise.resolve(!silent.has(host));
      },
    },
    ...{ mac, monotonicMs: () => now, log: quiet },
  });
  const invite = (contact = CONTACT): ReturnType<typeof sipRequest> =>
    sipRequest('INVITE sip:+966115550100@hatif', [contact]);
  beforeEach(() => {
    [probed, passed] = [[], []];
    now += 1_000;
    silent.clear();
  });

  it('goes to the first engine that answers, with the mark of its phone', async () => {
    const request = invite();
    await calls.toEngine(request, { type: 'softphone', id: '1001' });
    expect(request.outcomes).to.deep.equal([
      {
        did: 'proxied',
        targets: [{ uri: 'sip:+966115550100@192.0.2.1:5080;transport=udp', path: [] }],
        headers: { [EDGE_HEADER]: edgeMark({ type: 'softphone', id: '1001' }, mac) },
      },
    ]);
    expect(passed).to.deep.equal(['one']);
  });

  it('passes over a silent engine, and is refused when all are silent', async () => {
    silent.add('192.0.2.1');
    const request = invite();
    await calls.toEngine(request, { type: 'trunk', id: 'carrier' });
    expect(probed).to.deep.equal(['192.0.2.1', '192.0.2.2']);
    expect(passed).to.deep.equal(['two']);
    now += 1_000;
    silent.add('192.0.2.2');
    const refused = invite();
    await calls.toEngine(refused, { type: 'trunk', id: 'carrier' });
    expect(refused.outcomes[0]).to.include({ did: 'answered', status: 503 });
  });

  it('does not ask an engine again that answered just now', async () => {
    for (const ms of [0, 50, 100]) {
      now += ms;
      await calls.toEngine(invite(), { type: 'softphone', id: '1001' });
    }
    expect(probed).to.have.length(2);
  });

  it('needs this process if the phone is behind a NAT', async () => {
    const request = invite('Contact: <sip:1001@10.0.0.5:5062>');
    await calls.toEngine(request, { type: 'softphone', id: '1001' });
    expect(request.outcomes[0]).to.include({ did: 'bridged' });
  });
});

describe('a call of an engine', () => {
  const URN = 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
  const ringing = async (rows: readonly SipContactRow[], uri = 'sip:1001@hatif'): Promise<unknown> => {
    const calls = new EdgeCalls({
      directory: { forNewCall: () => [], passedTo: () => undefined },
      location: { of: (aor) => Promise.resolve(aor === '1001' ? rows : []) },
      probe: { probe: () => Promise.resolve(true) },
      ...{ mac, monotonicMs: () => 0, log: quiet },
    });
    const request = sipRequest(`INVITE ${uri}`, []);
    await calls.toPhones(request);
    expect(request.outcomes).to.have.length(1);
    const [outcome] = request.outcomes;
    if (outcome?.did === 'answered') return outcome.status;
    return outcome?.did === 'ignored' ? null : [outcome?.did, outcome?.targets.map((target) => target.uri)];
  };
  const web = { uri: 'sip:abc@f3k2.invalid;transport=ws', transport: 'ws', key: 'web', source_port: 49_200 } as const;

  it('rings every phone of the softphone', async () => {
    const other = contactRow({ uri: 'sip:1001@192.0.2.11:5062', source_host: '192.0.2.11' });
    expect(await ringing([contactRow(), other])).to.deep.equal([
      'proxied',
      ['sip:1001@192.0.2.10:5062', 'sip:1001@192.0.2.11:5062'],
    ]);
    expect(await ringing([contactRow(), contactRow(web)])).to.deep.equal([
      'bridged',
      ['sip:1001@192.0.2.10:5062', 'sip:abc@192.0.2.10:49200;transport=ws'],
    ]);
  });

  it('rings the one phone that its address names', async () => {
    const named = contactRow({ instance: `<${URN}>`, uri: 'sip:1001@192.0.2.10:5062;x=1' });
    expect(await ringing([contactRow(), named], `sip:1001@hatif;gr=${URN}`)).to.deep.equal([
      'proxied',
      ['sip:1001@192.0.2.10:5062;x=1'],
    ]);
    expect(await ringing([contactRow()], `sip:1001@hatif;gr=${URN}`)).to.equal(480);
  });

  it('is refused if no phone is registered, and without a user', async () => {
    expect(await ringing([])).to.equal(480);
    expect(await ringing([contactRow()], 'sip:1002@hatif')).to.equal(480);
    expect(await ringing([contactRow()], 'sip:hatif')).to.equal(404);
    expect(await ringing([contactRow()], 'nonsense')).to.equal(404);
  });
});
