import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { classifyAddress, literalAddress } from '../../../adapters/http/address.js';
import { problemOfUrl } from '../../../adapters/http/guard.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { lowestIdAt, newId, timeOfId } from '../../../core/model/ids.js';
import { EventCursor } from '../../../core/services/events/cursor.js';
import { eventBody, eventText, MessageSigner } from '../../../core/services/webhooks/message.js';
import { nextAttemptAt, RETRY_DELAYS_MS } from '../../../core/services/webhooks/retry.js';
import { newSigningSecret } from '../../../core/services/webhooks/secret.js';
import { isSameUrl } from '../../../core/services/webhooks/url.js';

const AT = new Date('2026-01-31T06:00:00.123Z');

const OF_NO_CALL = { sequence: null, previous_sequence: null };

describe('webhook messages', () => {
  const cipher = new Cipher('a secret of the installation for tests only');
  const signer = new MessageSigner(cipher);
  const event = { type: 'call.answered', created_at: AT, data: { call_id: 'c', note: 'مرحبا "x"' } };

  it('are verified by the Standard Webhooks library', () => {
    const secret = newSigningSecret();
    const now = new Date();
    const body = eventText({ ...event, ...OF_NO_CALL, data: JSON.stringify(event.data) });
    const headers = signer.headers('msg-1', body, now, [cipher.seal(secret)]);
    expect(new Webhook(secret).verify(body, headers)).to.deep.equal(eventBody(event));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).to.throw('No matching signature');
    expect(() => new Webhook(newSigningSecret()).verify(body, headers)).to.throw('No matching signature');
    expect(headers).to.include({
      'webhook-id': 'msg-1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    });
  });

  it('are signed like the published example', () => {
    const headers = signer.headers(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      new Date(1614265330 * 1000),
      [cipher.seal('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    );
    expect(headers['webhook-signature']).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('carry one signature per secret, separated by spaces', () => {
    const [current, previous] = [newSigningSecret(), newSigningSecret()];
    const sealed = [cipher.seal(current), cipher.seal(previous)];
    const headers = signer.headers('msg-1', '{}', new Date(), sealed);
    expect(headers['webhook-signature']).to.match(/^v1,\S+ v1,\S+$/);
    for (const secret of [current, previous]) expect(new Webhook(secret).verify('{}', headers)).to.deep.equal({});
  });

  it('have secrets of 32 random bytes', () => {
    expect(Buffer.from(newSigningSecret().slice('whsec_'.length), 'base64')).to.have.lengthOf(32);
    expect(newSigningSecret()).to.not.equal(newSigningSecret());
  });

  it('are equal as text and as object', () => {
    const text = { ...event, data: JSON.stringify(event.data) };
    expect(JSON.parse(eventText({ ...text, ...OF_NO_CALL }))).to.deep.equal(eventBody(event));
    expect(JSON.parse(eventText({ ...text, sequence: 4, previous_sequence: 2 }))).to.deep.equal({
      ...eventBody(event),
      previous_sequence: 2,
    });
    expect(Object.keys(eventBody(event))).to.deep.equal(['type', 'timestamp', 'data']);
    expect(eventBody(event).timestamp).to.equal('2026-01-31T06:00:00.123Z');
  });
});

describe('webhook retries', () => {
  const waitOf = (attempts: number, retryAfter: string | null = null, random = 0): number | null => {
    const at = nextAttemptAt(attempts, AT, retryAfter, random);
    return at === null ? null : at.getTime() - AT.getTime();
  };

  it('follow the schedule and end', () => {
    const hours = (n: number) => n * 3_600_000;
    expect(RETRY_DELAYS_MS).to.deep.equal([5000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map(hours)]);
    RETRY_DELAYS_MS.forEach((delay, index) => {
      expect(waitOf(index + 1)).to.equal(delay);
      expect(waitOf(index + 1, null, 1)).to.equal(Math.round(delay * 1.1));
    });
    expect(waitOf(10)).to.equal(null);
    expect(waitOf(10, '5')).to.equal(null);
  });

  const RETRY_AFTER: readonly [string, number][] = [
    ['60', 60_000],
    [' 60 ', 60_000],
    ['0', 5000],
    ['1', 5000],
    ['-5', 5000],
    ['soon', 5000],
    ['', 5000],
    ['86400', 86_400_000],
    ['86401', 86_400_000],
    ['99999999999999999999', 5000],
    ['Sat, 31 Jan 2026 06:10:00 GMT', 599_877],
    ['Fri, 30 Jan 2026 06:10:00 GMT', 5000],
    ['Sat, 31 Jan 2036 06:10:00 GMT', 86_400_000],
  ];
  for (const [header, wait] of RETRY_AFTER) {
    it(`wait ${wait} ms after the first failure with Retry-After "${header}"`, () => {
      expect(waitOf(1, header)).to.equal(wait);
    });
  }
});

describe('webhook addresses', () => {
  const CLASSES: readonly [string, string][] = [
    ['93.184.215.14', 'public'],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'forbidden'],
    ['10.255.255.255', 'forbidden'],
    ['172.31.255.255', 'forbidden'],
    ['172.32.0.1', 'public'],
    ['100.127.255.255', 'forbidden'],
    ['100.128.0.1', 'public'],
    ['169.254.169.254', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['::ffff:93.184.215.14', 'forbidden'],
    ['::93.184.215.14', 'forbidden'],
    ['64:ff9b::5db8:d70e', 'forbidden'],
    ['2002:5db8:d70e::', 'forbidden'],
    ['fc00::1', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['4000::1', 'forbidden'],
    ['example.com', 'forbidden'],
    ['', 'forbidden'],
  ];
  for (const [address, kind] of CLASSES) {
    it(`classify ${address || 'an empty text'} as ${kind}`, () => expect(classifyAddress(address)).to.equal(kind));
  }

  it('are recognised in the host of a URL', () => {
    expect(literalAddress('[::1]')).to.equal('::1');
    expect(literalAddress('127.0.0.1')).to.equal('127.0.0.1');
    expect(literalAddress('example.com')).to.equal(null);
    expect(literalAddress('localhost')).to.equal(null);
  });

  const URLS: readonly [string, boolean, string | null][] = [
    ['https://example.com/hook?x=1', false, null],
    ['https://example.com:8443/', false, null],
    ['https://93.184.215.14/', false, null],
    ['http://example.com/', true, 'not_https'],
    ['http://localhost:3000/', false, 'not_https'],
    ['http://localhost:3000/', true, null],
    ['http://app.localhost/', true, null],
    ['http://localhost.example.com/', true, 'not_https'],
    ['http://127.0.0.1:3000/', true, null],
    ['http://[::1]:3000/', true, null],
    ['https://127.0.0.1/', false, 'forbidden_address'],
    ['https://127.0.0.1/', true, null],
    ['https://10.0.0.1/', true, 'forbidden_address'],
    ['javascript:alert(1)', true, 'not_https'],
    ['file:///etc/passwd', true, 'not_https'],
    ['//example.com', false, 'malformed'],
    ['https://', false, 'malformed'],
    ['https://user@example.com/', false, 'malformed'],
    ['https://:pw@example.com/', false, 'malformed'],
    ['https://example.com/#part', false, 'malformed'],
    [`https://example.com/${'x'.repeat(2048)}`, false, 'malformed'],
  ];
  for (const [url, allowLoopback, problem] of URLS) {
    it(`have ${problem ?? 'no problem'}: ${url.slice(0, 60)}${allowLoopback ? ' with loopback allowed' : ''}`, () => {
      expect(problemOfUrl(url, { allowLoopback })).to.equal(problem);
    });
  }

  it('are compared after normalisation', () => {
    expect(isSameUrl('https://Example.com', 'https://example.com:443/')).to.equal(true);
    expect(isSameUrl('https://example.com/a', 'https://example.com/A')).to.equal(false);
  });
});

describe('an event cursor', () => {
  it('converts ids to times and back', () => {
    const before = Date.now();
    const id = newId();
    expect(timeOfId(id).getTime()).to.be.within(before, Date.now());
    expect(lowestIdAt(timeOfId(id)) <= id).to.equal(true);
    expect(lowestIdAt(new Date(timeOfId(id).getTime() + 1)) > id).to.equal(true);
    expect(timeOfId(lowestIdAt(AT)).getTime()).to.equal(AT.getTime());
    expect(lowestIdAt(new Date(-5))).to.equal('00000000-0000-7000-8000-000000000000');
  });

  it('counts events before the start as seen, and late ones as new', () => {
    const [old, start, late, fresh] = [newId(), newId(), newId(), newId()] as const;
    const cursor = new EventCursor(start);
    expect(cursor.unseen([start, old])).to.deep.equal([]);
    expect(cursor.unseen([fresh, start, old])).to.deep.equal([fresh]);
    cursor.see(fresh);
    expect(cursor.lastId).to.equal(fresh);
    expect(cursor.unseen([fresh, late, start, old])).to.deep.equal([late]);
    cursor.see(late);
    expect(cursor.lastId).to.equal(fresh);
    expect(cursor.unseen([fresh, late, start, old])).to.deep.equal([]);
  });

  it('looks back a minute, or to the start of an outage while its events may still arrive', () => {
    const minutes = (count: number): Date => new Date(AT.getTime() + count * 60_000);
    const [before, during, after] = [0, 2, 10].map((at) => lowestIdAt(minutes(at))) as [string, string, string];
    const cursor = new EventCursor(before);
    expect(cursor.unseen([before])).to.deep.equal([]);
    cursor.expectHeldBack(minutes(1));
    cursor.see(after);
    expect(cursor.lookBackFrom).to.equal(lowestIdAt(minutes(0)));
    expect(cursor.unseen([after, during])).to.deep.equal([during]);
    cursor.see(during);
    expect(cursor.unseen([after, during])).to.deep.equal([]);
    cursor.expectHeldBack(null);
    expect(cursor.lookBackFrom).to.equal(lowestIdAt(minutes(9)));
  });
});
