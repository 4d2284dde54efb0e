import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';
import { TORTURE } from '../../support/fixtures/rfc4475.js';

const HALF_OPEN = Number(process.env.HATIF_TEST_EDGE_CONNECTIONS ?? '2000');
const AT_ONCE = 100;
/** Files and memory that drachtio-server may have more than before. */
const MORE_FILES = 20;
const MORE_MEMORY_MB = 200;

describeDrachtio('what nobody should send to the SIP edge', () => {
  let stage: EdgeStage;
  let phone: SipSocket;
  let filesBefore: number;
  let memoryBefore: number;

  before(async function () {
    this.timeout(120_000);
    stage = await EdgeStage.start({ from: 18_900, to: 18_998 });
    phone = await SipSocket.open(stage.edge.sipPort);
    [filesBefore, memoryBefore] = [openFiles(), memoryMb()];
  });
  after(() => stage.stop());

  const openFiles = (): number => readdirSync(`/proc/${stage.edge.pid}/fd`).length;
  const memoryMb = (): number =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${stage.edge.pid}/status`, 'latin1'))?.[1]) / 1024;

  /** The edge registers a phone, in time, and no call came of what was sent. */
  async function isWell(): Promise<void> {
    expect(stage.edge.isAlive, stage.edge.log()).to.equal(true);
    const { password } = stage.platform.agent('1001');
    const startedMs = performance.now();
    await phone.register('1001', password);
    expect(performance.now() - startedMs, 'a registration').to.be.lessThan(5_000);
    expect(await stage.legs(), 'legs in the engine').to.equal(0);
    const { db } = stage.platform.platform.stores;
    expect(await db.query('SELECT id FROM calls'), 'calls').to.deep.equal([]);
  }

  for (const [name, message] of Object.entries(TORTURE)) {
    it(`survives ${name} of RFC 4475`, async () => {
      const socket = await SipSocket.open(stage.edge.sipPort);
      socket.raw(message);
      await isWell();
      socket.close();
    });
  }

  it('survives messages of every size', async function () {
    this.timeout(60_000);
    const socket = await SipSocket.open(stage.edge.sipPort);
    for (const size of [1_300, 9_000, 30_000, 60_000]) {
      socket.send('INVITE', 'sip:100@127.0.0.1', { Subject: 'x'.repeat(size) });
      socket.send('REGISTER', `sip:${'y'.repeat(Math.min(size, 20_000))}@127.0.0.1`);
      socket.send('INVITE', 'sip:100@127.0.0.1', {}, `v=0\r\n${'a=x\r\n'.repeat(size / 10)}`);
    }
    await isWell();
    socket.close();
  });

  it('survives noise', async () => {
    const socket = await SipSocket.open(stage.edge.sipPort);
    for (const noise of [
      '',
      '\r\n\r\n',
      '\u0000'.repeat(1_000),
      'GET / HTTP/1.1\r\n\r\n',
      'SIP/2.0',
      '\u00ff\u00fe'.repeat(500),
    ]) {
      socket.raw(noise);
    }
    await isWell();
    socket.close();
  });

  it('survives a sender over TCP that takes its time, and hears it out', async () => {
    const slow = await SipSocket.openTcp(stage.edge.sipPort);
    const text = [
      ...['REGISTER sip:127.0.0.1 SIP/2.0', `Via: SIP/2.0/TCP 127.0.0.1:${slow.port};branch=z9hG4bKslow`],
      ...['From: <sip:1001@127.0.0.1>;tag=1', 'To: <sip:1001@127.0.0.1>', 'Call-ID: slow', 'CSeq: 1 REGISTER'],
      ...[`Contact: <${slow.contact()}>`, 'Content-Length: 0', '', ''],
    ].join('\r\n');
    for (const [at, part] of (text.match(/[\s\S]{1,16}/g) ?? []).entries()) {
      slow.raw(part);
      if (at % 4 === 0) await isWell();
    }
    expect(await slow.next(() => true)).to.match(/^SIP\/2\.0 401 /);
    slow.close();
  });

  it('survives a message over TCP that says another length, and two at once', async () => {
    const socket = await SipSocket.openTcp(stage.edge.sipPort);
    const head = (id: string, length: number): string =>
      [
        ...[
          'OPTIONS sip:127.0.0.1 SIP/2.0',
          `Via: SIP/2.0/TCP 127.0.0.1:1;branch=z9hG4bK${id}`,
          'From: <sip:a@b>;tag=1',
        ],
        ...['To: <sip:c@d>', `Call-ID: ${id}`, 'CSeq: 1 OPTIONS', `Content-Length: ${length}`, '', ''],
      ].join('\r\n');
    socket.raw(head('one', 0) + head('two', 0) + head('three', 999_999));
    await isWell();
    socket.close();
  });

  it(`survives ${HALF_OPEN} connections that say nothing`, async function () {
    this.timeout(180_000);
    const idle: SipSocket[] = [];
    for (let opened = 0; opened < HALF_OPEN; opened += AT_ONCE) {
      const more = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, () => SipSocket.openTcp(stage.edge.sipPort)),
      );
      idle.push(...more.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    }
    expect(openFiles(), 'connections').to.be.greaterThan(HALF_OPEN / 2);
    for (const [at, socket] of idle.entries())
      if (at % 2 === 0) socket.raw('INVITE sip:100@127.0.0.1 SIP/2.0\r\nVia: ');
    await isWell();
    for (const socket of idle) socket.close();
    await isWell();
  });

  it('keeps nothing of all that', async () => {
    await eventually(
      () => openFiles() <= filesBefore + MORE_FILES,
      () => `${openFiles()} open files`,
    );
    expect(memoryMb() - memoryBefore, 'megabytes more').to.be.lessThan(MORE_MEMORY_MB);
  });
});
