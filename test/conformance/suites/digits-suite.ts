import { expect } from 'chai';
import { audioAddress } from '../../chaos/phones/sip-message.js';
import { Keypad } from '../../support/peers/keypad.js';
import { SessionPeer } from '../../support/peers/session-peer.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { legTo } from '../rigs/stage.js';

const KEYS = '1122333';
const LAST = { key: '#', durationMs: 100, gapMs: 800 };

/** Every key is reported once, whatever the timing of the phone and the line. */
export function digitsConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  let keypad: Keypad;
  let peer: SessionPeer;
  let legId: string;
  before(async () => {
    ground = await start();
  });
  after(() => ground.stop());
  beforeEach(async () => {
    keypad = await Keypad.open();
    peer = await SessionPeer.start(ground.sipPort, [], keypad.port);
    const leg = legTo({ type: 'sip', uri: peer.uri });
    ({ legId } = leg);
    await ground.engine.legs.originate(leg);
    await ground.heard.event('leg.answered', { legId });
    const invite = await peer.message('INVITE', ({ method }) => method === 'INVITE');
    keypad.connect(audioAddress(invite.body)!);
    await press([]);
  });
  afterEach(async () => {
    await ground.engine.legs.hangup(legId);
    await ground.heard.event('leg.ended', { legId });
    keypad.close();
    peer.close();
  });

  /** Presses the keys and `#`. @returns what the engine reports */
  async function press(presses: readonly { key: string; durationMs: number; gapMs: number }[]): Promise<string> {
    const from = ground.heard.events.length;
    // The gap after `#` is longer than any engine takes to report a digit again.
    await keypad.press([...presses, LAST]);
    await ground.heard.event('leg.dtmf', { legId, digit: LAST.key }, from);
    const events = ground.heard.events.slice(from);
    return events.map((event) => (event.type === 'leg.dtmf' ? event.digit : '')).join('');
  }

  for (const { durationMs, gapMs } of [
    { durationMs: 100, gapMs: 100 },
    { durationMs: 100, gapMs: 20 },
    { durationMs: 60, gapMs: 40 },
    { durationMs: 200, gapMs: 20 },
  ]) {
    it(`are reported once: keys of ${durationMs} ms, ${gapMs} ms apart`, async () => {
      expect(await press(Array.from(KEYS, (key) => ({ key, durationMs, gapMs })))).to.equal(`${KEYS}#`);
    });
  }

  it('are reported once when packets were delayed', async () => {
    const reported = press(Array.from(KEYS, (key) => ({ key, durationMs: 100, gapMs: 100 })));
    keypad.stall(500);
    expect(await reported).to.equal(`${KEYS}#`);
  });
}
