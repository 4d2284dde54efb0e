import { expect } from 'chai';
import { systemClock } from '../../../core/ports/clock.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import type { Softphone } from '../../../core/ports/engine/peers.js';
import { softphoneOfEdge, sourceOf } from '../../../engine/freeswitch/arrival.js';
import { AwaitedEvents } from '../../../engine/freeswitch/awaited-events.js';
import { EslLink } from '../../../engine/freeswitch/esl/esl-link.js';
import { EventTranslator } from '../../../engine/freeswitch/event-translator.js';
import { FreeswitchMedia } from '../../../engine/freeswitch/freeswitch-media.js';
import { FreeswitchRegistrations } from '../../../engine/freeswitch/freeswitch-registrations.js';
import { LegRegistry } from '../../../engine/freeswitch/leg-registry.js';
import { quiet } from '../../support/logger.js';

const MARK = 'softphone/1001/c2VjcmV0';
const ARRIVED = {
  'Unique-ID': 'b7c0f5c2-1f0a-4d4e-9a55-0d5b1a7f6c11',
  'Event-Name': 'CHANNEL_PARK',
  'Call-Direction': 'inbound',
  'Channel-Name': 'sofia/hatif/1001@127.0.0.1:5090',
  'Caller-Channel-Created-Time': '1764280000000000',
  'Caller-Destination-Number': '1002',
  'variable_sip_h_X-Hatif-Edge': MARK,
};

describe('a call through the SIP edge that reaches FreeSWITCH before its softphone is known', () => {
  it('comes in once the softphone is known, and not before', async () => {
    const events: EngineEvent[] = [];
    const link = new EslLink(
      { host: '127.0.0.1', port: 9, password: '', timeoutMs: 1_000, pingIntervalMs: 1_000, maxBackoffMs: 1_000 },
      { onUp: () => Promise.resolve(() => undefined), onEvent: () => undefined, onDown: () => undefined },
      ...([systemClock, quiet] as const),
    );
    const registry = new LegRegistry();
    const registrations: FreeswitchRegistrations = new FreeswitchRegistrations(
      link,
      () => undefined,
      (aor) => translator.announceUnidentified((event) => softphoneOfEdge(event) === aor),
    );
    const translator = new EventTranslator(
      registry,
      new FreeswitchMedia(link, registry, () => undefined, quiet, '/tmp'),
      new AwaitedEvents(1_000),
      (event) =>
        sourceOf(event, { softphone: (aor) => registrations.get(aor), trunk: () => undefined, trunks: () => [] }),
      { emit: (event) => events.push(event), onCreated: () => undefined, onIncoming: () => undefined },
    );
    const softphone = (aor: string, mark: string): Softphone => ({
      ...{ aor, password: '', displayName: aor, maxContacts: 1 },
      edge: { host: '127.0.0.1', port: 5090, mark },
    });
    translator.translate(ARRIVED);
    await registrations.put(softphone('1002', 'softphone/1002/b3RoZXI'));
    await registrations.put(softphone('1001', 'softphone/1001/Zm9yZ2Vk'));
    expect(events).to.deep.equal([]);
    await registrations.put(softphone('1001', MARK));
    await registrations.put(softphone('1001', MARK));
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.deep.include({
      type: 'leg.incoming',
      dialled: '1002',
      source: { type: 'softphone', aor: '1001' },
    });
  });
});
