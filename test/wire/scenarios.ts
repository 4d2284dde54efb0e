import { newId } from '../../core/model/ids.js';
import type { Engine, LegEndpoint } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { Heard, Of } from '../conformance/rigs/heard.js';
import { answeredAt, kindOf, legTo } from '../conformance/rigs/stage.js';
import { traceOf } from '../conformance/rigs/trace.js';
import type { World } from './transcript.js';

/** Actions of the people at the phones; in a replay they are part of the transcript. */
export type Deed = 'callee hangs up' | 'callee presses 1#2' | 'caller dials' | 'agent registers';

export interface WireStage {
  readonly engine: Engine;
  readonly heard: Heard;
  readonly world: World;
  act(deed: Deed): Promise<void>;
}

/** The softphone that registers. */
export const AGENT = { aor: 'agent-1', password: 'a-password-of-the-tests', displayName: 'Agent', maxContacts: 1 };

/** Each scenario returns its result, which must be the same on an engine and from its transcript. */
export const SCENARIOS: Readonly<Record<string, (stage: WireStage) => Promise<readonly string[]>>> = {
  'an outbound call is played to and ends': async (stage) => {
    const legId = await answered(stage);
    await play(stage, legId, { type: 'file', path: stage.world.prompt! }, 'play.finished');
    await play(stage, legId, { type: 'file', path: '/nowhere/to/be/heard' }, 'play.finished');
    const tone = await play(stage, legId, { type: 'tone', tone: 'busy' }, 'play.started');
    await stage.engine.media.stop(tone);
    await stage.engine.legs.hangup(legId);
    await legEvent(stage, 'leg.ended', legId);
    return traceOf(stage.heard.events, legId);
  },
  'a callee is busy': async (stage) => {
    const legId = await originate(stage, { type: 'sip', uri: stage.world.busy! });
    await legEvent(stage, 'leg.ended', legId);
    return traceOf(stage.heard.events, legId);
  },
  'a softphone is not registered': async (stage) => {
    return [await kindOf(originate(stage, { type: 'softphone', aor: 'nobody-has-this-name' }))];
  },
  'an inbound call is answered and ends': async (stage) => {
    await stage.act('caller dials');
    const { legId } = await stage.heard.untilType('leg.incoming');
    await stage.engine.legs.ring(legId);
    await stage.engine.legs.answer(legId);
    await legEvent(stage, 'leg.answered', legId);
    await stage.engine.legs.hangup(legId);
    await legEvent(stage, 'leg.ended', legId);
    return traceOf(stage.heard.events, legId);
  },
  'two legs are bridged, held and separated': async (stage) => {
    const [one, other] = [await answered(stage), await answered(stage, 'other')];
    const bridgeId = newId();
    const { engine } = stage;
    await engine.bridges.create(bridgeId);
    await engine.bridges.add(bridgeId, one);
    await engine.bridges.add(bridgeId, other);
    const together = (await engine.list()).legs.filter((leg) => leg.bridgeId === bridgeId).length;
    await engine.legs.hold(one);
    await engine.legs.unhold(one);
    await engine.bridges.destroy(bridgeId);
    const after = await engine.list();
    await engine.legs.hangup(one);
    await legEvent(stage, 'leg.ended', one);
    await engine.legs.hangup(other);
    await legEvent(stage, 'leg.ended', other);
    const apart = after.legs.filter((leg) => leg.bridgeId === null).length;
    return [
      `${together} together`,
      `${apart} apart`,
      `${after.bridgeIds.length} bridges`,
      ...traceOf(stage.heard.events, one),
    ];
  },
  'a leg is echoed and sends DTMF': async (stage) => {
    const legId = await answered(stage);
    await stage.engine.legs.echo(legId);
    await stage.act('callee presses 1#2');
    await legEvent(stage, 'leg.dtmf', legId, { digit: '2' });
    await stage.engine.legs.stopEcho(legId);
    await stage.engine.legs.mute(legId);
    await stage.engine.legs.unmute(legId);
    await stage.engine.legs.sendDtmf(legId, '7w*');
    await stage.act('callee hangs up');
    await legEvent(stage, 'leg.ended', legId);
    return traceOf(stage.heard.events, legId);
  },
  'a leg is recorded': async (stage) => {
    const legId = await answered(stage);
    const recordingId = newId();
    const { recordings } = stage.engine;
    await recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60 });
    await recordings.pause(recordingId);
    await recordings.resume(recordingId);
    const running = (await stage.engine.list()).recordingIds.length;
    await recordings.stop(recordingId);
    await stage.heard.event('recording.finished', { recordingId });
    await stage.engine.legs.hangup(legId);
    await legEvent(stage, 'leg.ended', legId);
    return [`${running} runs`, ...traceOf(stage.heard.events, legId)];
  },
  'a leg monitors another and whispers': async (stage) => {
    const [one, other] = [await answered(stage), await answered(stage, 'other')];
    const { engine } = stage;
    const bridgeId = newId();
    await engine.bridges.create(bridgeId);
    await engine.bridges.add(bridgeId, one);
    await engine.monitors.start({ legId: other, targetLegId: one, whispers: false });
    await engine.monitors.start({ legId: other, targetLegId: one, whispers: true });
    const { legs } = await engine.list();
    await engine.monitors.stop(other);
    await engine.bridges.destroy(bridgeId);
    await engine.legs.hangup(one);
    await legEvent(stage, 'leg.ended', one);
    await engine.legs.hangup(other);
    await legEvent(stage, 'leg.ended', other);
    const places = [one, other].map((id) => legs.find(({ legId }) => legId === id)?.bridgeId === bridgeId);
    return [`in the bridge: ${places.join()}`, ...traceOf(stage.heard.events, other)];
  },
  'a softphone registers': async (stage) => {
    await stage.engine.registrations.put(AGENT);
    await stage.act('agent registers');
    const { aor } = await stage.heard.untilType('registration.changed');
    const online = [...(await stage.engine.registrations.registered())];
    await stage.engine.registrations.remove(aor);
    const words = stage.heard.events.flatMap((event) =>
      event.type === 'registration.changed' ? `${event.aor} ${event.registered}` : [],
    );
    return [`online: ${online.join()}`, ...words];
  },
};

async function originate(stage: WireStage, endpoint: LegEndpoint): Promise<string> {
  const leg = legTo(endpoint);
  await stage.engine.legs.originate(leg);
  return leg.legId;
}

/** Calls a phone that answers by itself. */
export function answered(stage: WireStage, whom: 'callee' | 'other' = 'callee'): Promise<string> {
  return answeredAt(stage, stage.world[whom]!);
}

type Item = Parameters<Engine['media']['play']>[0]['items'][number];

async function play(
  { engine, heard }: WireStage,
  legId: string,
  item: Item,
  until: 'play.started' | 'play.finished',
): Promise<string> {
  const playbackId = newId();
  await engine.media.play({ playbackId, target: { legId }, items: [item] });
  await heard.event<'play.started' | 'play.finished'>(until, { playbackId });
  return playbackId;
}

export function legEvent<Type extends LegEvent['type']>(
  { heard }: Pick<WireStage, 'heard'>,
  type: Type,
  legId: string,
  fields: Partial<Of<Type>> = {},
): Promise<Of<Type>> {
  return heard.event(type, { ...fields, legId });
}
