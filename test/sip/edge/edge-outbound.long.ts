import { expect } from 'chai';
import { isAnsweredBy, parseCredentials } from '../../../sip/message/digest.js';
import { challenge, seesNoEngine } from '../../support/judges/carrier-view.js';
import type { Arrived, ScriptedCarrier } from '../../support/peers/sip/carrier.js';
import { SILENT_SDP } from '../../support/peers/sip/socket.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { ACCOUNT, EdgeOutboundStage, ENGINES } from '../../support/stages/edge/outbound-stage.js';

/** A carrier that sends nothing is passed over within this time, and without the edge after 32 s. */
const SILENT_WITHIN_MS = 12_000;

describeDrachtio('calls to carriers through the SIP edge', () => {
  describeFreeswitch('before FreeSWITCH and Asterisk,', () => {
    let stage: EdgeOutboundStage;
    let main: ScriptedCarrier;
    let first: ScriptedCarrier;
    let second: ScriptedCarrier;
    let numbers: readonly [string, string];
    let routed: readonly [string, string];
    const streams = new Map<'tcp' | 'tls', { readonly carrier: ScriptedCarrier; readonly number: string }>();

    before(async function () {
      this.timeout(600_000);
      stage = await EdgeOutboundStage.start();
      [main, first, second] = [await stage.carrier(), await stage.carrier(), await stage.carrier()];
      const [tcp, tls] = [await stage.carrier('tcp'), await stage.carrier('tls')];
      const made = await stage.routes([main], [first, second], [tcp], [tls]);
      [numbers, routed] = made;
      streams.set('tcp', { carrier: tcp, number: made[2][0] }).set('tls', { carrier: tls, number: made[3][0] });
    });
    after(async function () {
      this.timeout(60_000);
      await stage.close();
    });

    /** A call that the carrier has answered. */
    async function answered(
      carrier = main,
      number = numbers[0],
    ): Promise<{ readonly callId: string; readonly invite: Arrived }> {
      const callId = await stage.call(number);
      const invite = await carrier.invite(number);
      await carrier.answer(invite);
      await stage.becomes(callId, 'answered');
      return { callId, invite };
    }

    /** The carrier hangs up. */
    async function hungUp(callId: string, invite: Arrived, cseq = 1): Promise<void> {
      expect((await main.ask(invite, 'BYE', cseq)).text).to.match(/^SIP\/2\.0 200 /);
      expect((await stage.over(callId)).status).to.equal('ended');
    }

    for (const engine of ENGINES) {
      describe(`with calls on ${engine}`, () => {
        before(() => stage.prefers(engine));
        beforeEach(() => main.arrived.splice(0));

        it('show the carrier nothing of the engine, and end with the hangup of either side', async () => {
          const { callId, invite } = await answered();
          expect(await stage.engineOf(callId)).to.equal(engine);
          seesNoEngine(invite.text, stage.enginePorts);
          expect(invite.text).to.match(/^INVITE sip:\+966502\d{6}@127\.0\.0\.1:\d+;transport=udp SIP\/2\.0\r\n/);
          expect(invite.headers.first('to')).to.match(/^<sip:\+966502\d{6}@127\.0\.0\.1[:>]/);
          await hungUp(callId, invite);
          const other = await answered();
          await stage.hangup(other.callId);
          const bye = await main.within(other.invite, 'BYE');
          seesNoEngine(bye.text, stage.enginePorts);
          main.reply(bye, '200 OK');
          await stage.over(other.callId);
        });

        it('answer the challenge of a carrier, each call by itself although both have the same nonce', async () => {
          const calls = [await stage.call(numbers[0]), await stage.call(numbers[1])];
          const invites = [await main.invite(numbers[0]), await main.invite(numbers[1])];
          for (const invite of invites) {
            main.reply(invite, '407 Proxy Authentication Required', { fields: [challenge('the-same-nonce')] });
            await main.within(invite, 'ACK');
          }
          for (const [at, number] of numbers.entries()) {
            const again = await main.next(
              (text) => text.includes('Proxy-Authorization:') && text.includes(`sip:${number}@`),
            );
            expect(again.text.startsWith(`INVITE sip:${number}@`), 'the number that was called').to.equal(true);
            expect(again.headers.first('content-type')).to.equal('application/sdp');
            seesNoEngine(again.text, stage.enginePorts);
            const credentials = parseCredentials(again.headers.first('proxy-authorization') ?? '');
            expect(credentials).to.include({ username: ACCOUNT.username, uri: again.text.split(' ')[1] });
            expect(isAnsweredBy(credentials!, 'INVITE', ACCOUNT.password)).to.equal(true);
            await main.answer(again);
            await stage.becomes(calls[at]!, 'answered');
            await hungUp(calls[at]!, again);
          }
        });

        it('ring by the second carrier if the first one fails, or is silent', async function () {
          this.timeout(60_000);
          for (const status of ['503 Service Unavailable', null]) {
            const startedMs = performance.now();
            const callId = await stage.call(routed[0]);
            const refused = await first.invite(routed[0]);
            if (status !== null) first.reply(refused, status);
            const invite = await second.invite(routed[0], SILENT_WITHIN_MS);
            expect(performance.now() - startedMs).to.be.lessThan(SILENT_WITHIN_MS);
            await second.answer(invite);
            await stage.becomes(callId, 'answered');
            const tried = (await stage.attempts(callId)).map(({ trunk, hangup_sip_code: code }) => [trunk, code]);
            expect(tried[0]).to.deep.equal([`to-${first.port}`, status === null ? 408 : 503]);
            expect(tried[1]?.[0]).to.equal(`to-${second.port}`);
            expect((await second.ask(invite, 'BYE', 1)).text).to.match(/^SIP\/2\.0 200 /);
            await stage.over(callId);
            first.arrived.splice(0);
          }
        });

        it('stop ringing when the caller gives up', async () => {
          const callId = await stage.call(numbers[0]);
          const invite = await main.invite(numbers[0]);
          main.reply(invite, '180 Ringing');
          await stage.becomes(callId, 'ringing');
          await stage.hangup(callId);
          const cancel = await main.within(invite, 'CANCEL');
          expect(cancel.text.split(' ')[1], 'the address of the INVITE').to.equal(invite.text.split(' ')[1]);
          main.reply(cancel, '200 OK');
          main.reply(invite, '487 Request Terminated');
          await main.within(invite, 'ACK');
          await stage.over(callId);
        });

        it('let the carrier change the call', async () => {
          const { callId, invite } = await answered();
          const changed = await main.ask(invite, 'INVITE', 1, SILENT_SDP);
          expect(changed.text).to.match(/^SIP\/2\.0 200 /);
          seesNoEngine(changed.text, stage.enginePorts);
          main.send(invite, 'ACK', 1);
          await hungUp(callId, invite, 2);
        });

        for (const transport of ['tcp', 'tls'] as const) {
          it(`reach a carrier over ${transport}, which names no transport in its contact`, async () => {
            const { carrier, number } = streams.get(transport)!;
            const { callId, invite } = await answered(carrier, number);
            seesNoEngine(invite.text, stage.enginePorts);
            await stage.hangup(callId);
            carrier.reply(await carrier.within(invite, 'BYE'), '200 OK');
            await stage.over(callId);
          });
        }

        it('continue when the process that relays is killed, and end at both sides', async function () {
          this.timeout(120_000);
          const [one, other] = [await answered(), await answered(main, numbers[1])];
          await stage.killRelaying();
          await hungUp(one.callId, one.invite);
          await stage.hangup(other.callId);
          main.reply(await main.within(other.invite, 'BYE'), '200 OK');
          await stage.over(other.callId);
          await stage.startEdge();
        });

        it('continue when drachtio-server is killed, and end at both sides', async function () {
          this.timeout(120_000);
          const [one, other] = [await answered(), await answered(main, numbers[1])];
          await stage.drachtio.restart();
          await hungUp(one.callId, one.invite);
          await stage.hangup(other.callId);
          main.reply(await main.within(other.invite, 'BYE'), '200 OK');
          await stage.over(other.callId);
        });
      });
    }
  });
});
