import { expect } from 'chai';
import { systemClock } from '../../../core/ports/clock.js';
import { SipText, type Field } from '../../../sip/message/text.js';
import { openRelay, type OpenedRelay } from '../../../sip/open-relay.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import { freeSipPort } from '../../support/phones/index.js';

const DRACHTIO = '127.0.0.2';

describe('the relay of the edge', () => {
  let port: number;
  let engine: SipSocket;
  let drachtio: SipSocket;
  let stranger: SipSocket;
  let relays: OpenedRelay[];

  beforeEach(async () => {
    port = await freeSipPort();
    [engine, drachtio, stranger] = await Promise.all([
      SipSocket.open(port),
      SipSocket.open(port, DRACHTIO),
      SipSocket.open(port, '127.0.0.3'),
    ]);
    relays = [];
    await open();
  });
  afterEach(async () => {
    for (const { relay } of relays) await relay.stop();
    for (const socket of [engine, drachtio, stranger]) socket.close();
  });

  /** One more process. */
  async function open(): Promise<OpenedRelay> {
    const opened = openRelay({
      inside: { host: '127.0.0.1', port },
      drachtio: { host: DRACHTIO, port: drachtio.port },
      directory: {
        isEngine: (source) => source.port === engine.port,
        hosts: () => ['127.0.0.1'],
        drachtio: () => [DRACHTIO],
        relay: () => ['127.0.0.1'],
        media: () => null,
      },
      publicHost: () => '203.0.113.5',
      flowOf: () => Promise.resolve(null),
      isNear: () => Promise.resolve(false),
      onOwn: () => Promise.resolve(),
      mac: (text) => `mac of ${text}`,
      clock: systemClock,
      log: quiet,
    });
    relays.push(opened);
    await opened.relay.start();
    return opened;
  }

  const invite = (): string => {
    const uri = `sip:100@127.0.0.1:${engine.port}`;
    const token = relays[0]!.tokens.write('call', { uri, route: '', aor: '', flow: '', near: '' });
    return drachtio.send('INVITE', `sip:${token}@127.0.0.1:${port}`);
  };
  const starts = (text: string) => (message: string) => message.startsWith(text);

  it('is held by one process, and taken over by another one within a call', async () => {
    await open();
    expect(relays.map(({ relay }) => relay.isServing)).to.deep.equal([true, false]);
    const callId = invite();
    const arrived = await engine.next(starts('INVITE '));
    expect(arrived).to.contain(`INVITE sip:100@127.0.0.1:${engine.port} `).and.contain(callId);
    engine.reply(arrived, '200 OK');
    const ok = await drachtio.next(starts('SIP/2.0 200'));
    expect(ok).not.to.contain(`:${engine.port}`);
    await relays[0]!.relay.stop();
    await eventually(() => relays[1]!.relay.isServing, 'the other process has the port');
    const contact = /Contact: <([^>]+)>/i.exec(ok)?.[1] ?? '';
    drachtio.send('BYE', contact, { To: '<sip:1001@127.0.0.1>;tag=there', 'Call-ID': callId, CSeq: '2 BYE' });
    engine.reply(await engine.next(starts('BYE ')), '200 OK');
    await drachtio.next((message) => message.includes('CSeq: 2 BYE'));
  });

  it('acknowledges a refused call itself, as drachtio-server does not reach the engine', async () => {
    invite();
    engine.reply(await engine.next(starts('INVITE ')), '486 Busy Here');
    await drachtio.next(starts('SIP/2.0 486'));
    await engine.next(starts(`ACK sip:100@127.0.0.1:${engine.port} `));
  });

  it('passes nothing on of others, nothing that nobody sent here, and no noise', async () => {
    const uri = `sip:100@127.0.0.1:${engine.port}`;
    const token = relays[0]!.tokens.write('call', { uri, route: '', aor: '', flow: '', near: '' });
    stranger.send('INVITE', `sip:${token}@127.0.0.1:${port}`);
    drachtio.send('INVITE', `sip:100@127.0.0.1:${port}`);
    drachtio.send('INVITE', `sip:${token.slice(0, -2)}aa@127.0.0.1:${port}`);
    for (const noise of ['', '\r\n\r\n', 'INVITE', '\0'.repeat(100), 'SIP/2.0 200 OK\r\n\r\n']) drachtio.raw(noise);
    const callId = invite();
    const first = await engine.next(() => true);
    expect(first).to.contain(callId);
    expect(engine.messages).to.deep.equal([]);
    expect([...stranger.messages, ...drachtio.messages]).to.deep.equal([]);
  });

  it('sends a request of its own until it is answered, and gives up when it ends', async () => {
    const { relay } = relays[0]!;
    const to = { host: DRACHTIO, port: drachtio.port };
    const fields: Field[] = [
      ['From', '<sip:1002@192.0.2.5>;tag=1'],
      ['To', '<sip:1001@192.0.2.10>'],
      ['Call-ID', 'n1'],
      ['CSeq', '1 NOTIFY'],
    ];
    const request = SipText.of('NOTIFY sip:1001@192.0.2.10 SIP/2.0', fields);
    const status = relay.send(request, to);
    const first = await drachtio.next(starts('NOTIFY '));
    expect(await drachtio.next(starts('NOTIFY ')), 'repeated').to.equal(first);
    drachtio.reply(first, '481 No');
    expect(await status).to.equal(481);
    const unanswered = relay.send(request, to);
    await drachtio.next(starts('NOTIFY '));
    await relay.stop();
    expect(await unanswered).to.equal(null);
    expect(await relay.send(request, to), 'without the port').to.equal(null);
  });
});
