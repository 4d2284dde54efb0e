import type { lookup, LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';

import { expect } from 'chai';

import { GuardedHttpClient } from '../../../adapters/http/client.js';
import type { GuardOptions } from '../../../adapters/http/guard.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';

/** A resolver with names from the test. Adds each name that it resolves to `resolved`. */
function namesOf(table: Record<string, readonly string[]>, resolved: string[] = []): typeof lookup {
  const resolve = (
    name: string,
    _options: object,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ): void => {
    resolved.push(name);
    const addresses = table[name];
    if (addresses)
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    else callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  };
  return resolve as unknown as typeof lookup;
}

const LOOPBACK_FORMS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '①②⑦.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '0.0.0.0',
  '0',
  '[::]',
];

const OTHER_FORBIDDEN = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::]',
  '[::ffff:10.0.0.1]',
];

describe('the guarded HTTP client', function () {
  this.timeout(15_000);
  let receiver: WebhookReceiver;
  const clients: GuardedHttpClient[] = [];

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await receiver.close();
  });

  function client(options: Partial<GuardOptions> = {}): GuardedHttpClient {
    const made = new GuardedHttpClient({ allowLoopback: false, ...options });
    clients.push(made);
    return made;
  }

  async function post(through: GuardedHttpClient, url: string): Promise<string> {
    const body = JSON.stringify({ type: 'call.ended', timestamp: '', data: {} });
    const result = await through.post({ url, headers: {}, body, timeoutMs: 2000, readBody: true });
    return result.kind === 'failure' ? result.failure : `http_${result.status}`;
  }

  for (const host of [...LOOPBACK_FORMS, ...OTHER_FORBIDDEN]) {
    it(`rejects ${host}`, async () => {
      expect(await post(client(), `https://${host}:${receiver.port}/`)).to.equal('forbidden_address');
      expect(await post(client(), `http://${host}:${receiver.port}/`)).to.equal('not_https');
      expect(receiver.requests).to.deep.equal([]);
    });
  }

  it('rejects names with a forbidden address, even next to allowed ones', async () => {
    const hosts: Record<string, string[]> = { 'two.example': ['93.184.215.14', '127.0.0.1'] };
    for (const [index, literal] of [...LOOPBACK_FORMS.slice(6, 8), ...OTHER_FORBIDDEN].entries()) {
      hosts[`n${index}.example`] = [literal.replace(/^\[|\]$/g, '')];
    }
    const guarded = client({ lookup: namesOf(hosts) });
    for (const name of Object.keys(hosts)) {
      expect(await post(guarded, `https://${name}:${receiver.port}/`), name).to.equal('forbidden_address');
    }
    expect(receiver.requests).to.deep.equal([]);
  });

  it('checks the address that it connects to, so DNS rebinding does not work', async () => {
    const resolved: string[] = [];
    const table: Record<string, string[]> = { 'turn.localhost': ['127.0.0.1'] };
    const guarded = client({ allowLoopback: true, lookup: namesOf(table, resolved) });
    // A reused connection was checked when it was made; these connections are not reused.
    receiver.script = () => ({ status: 200, headers: { Connection: 'close' } });
    expect(await post(guarded, `http://turn.localhost:${receiver.port}/`)).to.equal('http_200');
    expect(resolved).to.deep.equal(['turn.localhost']);
    table['turn.localhost'] = ['10.0.0.1'];
    expect(await post(guarded, `http://turn.localhost:${receiver.port}/`)).to.equal('forbidden_address');
  });

  it('with loopback allowed reaches this machine and nothing else that is private', async () => {
    const guarded = client({ allowLoopback: true });
    expect(await post(guarded, receiver.url())).to.equal('http_204');
    expect(await post(guarded, `http://localhost:${receiver.port}/`)).to.equal('http_204');
    expect(await post(guarded, `http://2130706433:${receiver.port}/`)).to.equal('http_204');
    for (const host of ['0.0.0.0', '[::ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]', ...OTHER_FORBIDDEN]) {
      expect(await post(guarded, `https://${host}:${receiver.port}/`), host).to.equal('forbidden_address');
      expect(await post(guarded, `http://${host}:${receiver.port}/`), host).to.equal('not_https');
    }
    expect(await post(guarded, 'http://example.com/')).to.equal('not_https');
  });

  it('distinguishes a plain server from one whose certificate nobody vouches for', async () => {
    const guarded = client({ allowLoopback: true });
    expect(await post(guarded, `https://127.0.0.1:${receiver.port}/`)).to.equal('no_tls');
    const fixture = (name: string): Buffer =>
      readFileSync(new URL(`../../support/fixtures/${name}.pem`, import.meta.url));
    const server = createTlsServer({ cert: fixture('self-signed'), key: fixture('self-signed-key') });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await post(guarded, `https://127.0.0.1:${port}/`)).to.equal('tls_error');
    server.close();
  });

  it('does not follow redirects', async () => {
    const other = await WebhookReceiver.start();
    receiver.script = () => ({ status: 307, headers: { Location: other.url() } });
    expect(await post(client({ allowLoopback: true }), receiver.url())).to.equal('http_307');
    expect(other.requests).to.deep.equal([]);
    await other.close();
  });

  it('reads at most 64 KiB of a response, whether or not it is used', async () => {
    receiver.script = () => ({ status: 200, body: 'x'.repeat(1_000_000) });
    const guarded = client({ allowLoopback: true });
    for (const readBody of [true, false]) {
      const body = JSON.stringify({ type: 'call.ended', timestamp: '', data: {} });
      const result = await guarded.post({ url: receiver.url(), headers: {}, body, timeoutMs: 5000, readBody });
      expect(result.kind === 'response' && result.body.length).to.equal(readBody ? 65_536 : 0);
    }
  });

  it('aborts a response that never ends, and one that is not HTTP', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', (data) => {
        if (data.toString('latin1').startsWith('POST /nonsense')) socket.end('nonsense\r\n\r\n');
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const guarded = client({ allowLoopback: true });
    const request = { headers: {}, body: '{}', timeoutMs: 200 };
    for (const readBody of [true, false]) {
      const result = await guarded.post({ ...request, url: `http://127.0.0.1:${port}/`, readBody });
      expect(result).to.include({ kind: 'failure', failure: 'timeout' });
    }
    const nonsense = await guarded.post({ ...request, url: `http://127.0.0.1:${port}/nonsense`, readBody: false });
    expect(nonsense).to.include({ kind: 'failure', failure: 'bad_response' });
    server.close();
  });
});
