import { expect } from 'chai';
import { header } from '../../chaos/phones/sip-message.js';
import { SessionPeer } from '../../support/peers/session-peer.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { answeredAt, carrierAt } from '../rigs/stage.js';

/** Checks session timers (RFC 4028) of 1800 and 90 seconds on every engine. */
export function timersConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  let peer: SessionPeer;

  before(async () => {
    ground = await start();
    peer = await SessionPeer.start(ground.sipPort, [
      ['Supported', 'timer'],
      ['Require', 'timer'],
      ['Session-Expires', '90;refresher=uac'],
    ]);
    await ground.engine.trunks.put(carrierAt(peer.port));
  });
  after(async () => {
    peer.close();
    await ground.stop();
  });

  it('offers session timers for an outbound call, with the minimum interval', async () => {
    const legId = await answeredAt(ground, peer.uri);
    const invite = await peer.message('INVITE', ({ method }) => method === 'INVITE');
    expect(header(invite, 'supported')).to.match(/\btimer\b/);
    expect(header(invite, 'session-expires')).to.match(/^1800\b/);
    expect(header(invite, 'min-se')).to.equal('90');
    await ground.engine.legs.hangup(legId);
    await ground.heard.event('leg.ended', { legId });
  });

  it('accepts the shortest legal interval from a caller, and acts as the refresher', async () => {
    const dialled = '+966500000003';
    const answer = peer.call(dialled, [
      ['Supported', 'timer'],
      ['Session-Expires', '90;refresher=uas'],
    ]);
    const { legId } = await ground.heard.event('leg.incoming', { dialled });
    await ground.engine.legs.answer(legId);
    expect((await answer).startLine).to.equal('SIP/2.0 200 OK');
    expect(header(await answer, 'session-expires')).to.equal('90;refresher=uas');
    await ground.engine.legs.hangup(legId);
    await ground.heard.event('leg.ended', { legId });
  });

  it('rejects a shorter interval with 422 and the minimum', async () => {
    const answer = await peer.call('+966500000004', [
      ['Supported', 'timer'],
      ['Session-Expires', '60'],
    ]);
    expect(answer.status).to.equal(422);
    expect(header(answer, 'min-se')).to.equal('90');
  });
}
