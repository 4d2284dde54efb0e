import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import type { Baresip } from '../../support/phones/index.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

const ADDRESSES = 50;
/** What leads to a lockout. */
const ANSWERED = 10;
const REQUESTS_EACH = 400;
const METHODS = ['REGISTER', 'INVITE'] as const;
/** A phone gives up a request after 32 s (RFC 3261). */
const IN_TIME_MS = 10_000;

describeDrachtio('an attack on the SIP edge', () => {
  let stage: EdgeStage;
  let phone: Baresip;

  before(async function () {
    this.timeout(120_000);
    stage = await EdgeStage.start({ from: 18_800, to: 18_898 });
    phone = await stage.softphone('1001');
  });
  after(() => stage.stop());

  /** Guesses the password of an agent until it gets no more answers, and sends on. */
  async function attack(address: string): Promise<SipSocket> {
    const socket = await SipSocket.open(stage.edge.sipPort, address);
    const isChallenge = (message: string): boolean => message.startsWith('SIP/2.0 401');
    socket.send('REGISTER', 'sip:127.0.0.1');
    for (let guess = 0; guess < ANSWERED; guess += 1) {
      const nonce = /nonce="([^"]+)"/.exec(await socket.next(isChallenge))?.[1] ?? '';
      const credentials = `Digest username="1001", realm="hatif", nonce="${nonce}", uri="sip:127.0.0.1", response="${guess}"`;
      socket.send('REGISTER', 'sip:127.0.0.1', { Authorization: credentials });
    }
    await socket.next(isChallenge);
    const { db } = stage.platform.platform.stores;
    const isLocked = async (): Promise<boolean> =>
      (await db.query('SELECT 1 FROM sip_lockouts WHERE subject = $1', [address])).length === 1;
    await eventually(isLocked, `${address} is locked out`);
    for (let sent = ANSWERED; sent < REQUESTS_EACH; sent += 1) {
      socket.send(METHODS[sent % METHODS.length]!, 'sip:100@127.0.0.1');
      // Lets the requests of others through this process.
      if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return socket;
  }

  it('is locked out, while phones register in time and are rung', async function () {
    // Guesses wait longer and longer for their answers.
    this.timeout(240_000);
    const attackers = Array.from({ length: ADDRESSES }, (_, at) => attack(`127.0.0.${at + 100}`));
    const startedMs = performance.now();
    const state = { isOver: false };
    const attacked = Promise.all(attackers).finally(() => (state.isOver = true));
    const lastedMs: number[] = [];
    const meanwhile = async (registers: () => Promise<void>): Promise<void> => {
      while (!state.isOver) {
        const fromMs = performance.now();
        await registers();
        lastedMs.push(performance.now() - fromMs);
      }
    };
    await Promise.all([
      meanwhile(async () => {
        const other = await SipSocket.open(stage.edge.sipPort);
        await other.register('1002', stage.platform.agent('1002').password, `sip:1002@127.0.0.1:${other.port}`);
        other.close();
      }),
      // A real phone, of the user whose password is guessed.
      meanwhile(async () => {
        const another = await stage.unregistered('1001');
        await another.registered();
        await another.close();
      }),
    ]);
    const sockets = await attacked;
    const seconds = (performance.now() - startedMs) / 1000;
    const longestMs = Math.max(...lastedMs);
    process.stdout.write(
      `      ${ADDRESSES * REQUESTS_EACH} requests in ${seconds.toFixed(0)} s; meanwhile ${lastedMs.length} phones ` +
        `registered, each within ${(longestMs / 1000).toFixed(1)} s\n`,
    );
    expect(longestMs, `of ${lastedMs.length} registrations`).to.be.lessThan(IN_TIME_MS);
    const [locked] = await stage.platform.platform.stores.db.query<{ addresses: number; users: number }>(
      `SELECT count(*) FILTER (WHERE kind = 'address')::int AS addresses,
         count(*) FILTER (WHERE kind = 'user' AND subject = '1001')::int AS users FROM sip_lockouts`,
    );
    expect(locked).to.deep.equal({ addresses: ADDRESSES, users: 1 });
    for (const socket of sockets) {
      // drachtio-server answers each INVITE with this by itself.
      expect(socket.messages.filter((message) => !message.startsWith('SIP/2.0 100 '))).to.deep.equal([]);
      socket.close();
    }
    await stage.platform.call({ to: stage.platform.agent('1001').number });
    const id = await phone.incoming();
    await phone.answer(id);
    await phone.hangup(id);
    await phone.closed(id);
  });
});
