import { newId } from '../../../core/model/ids.js';
import {
  EngineError,
  type Engine,
  type EngineSnapshot,
  type LegEndpoint,
  type MediaItem,
  type OriginateRequest,
} from '../../../core/ports/engine.js';
import type { Trunk } from '../../../core/ports/engine/peers.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import type { Of } from './heard.js';
import type { Opened } from './opened.js';
import type { Callee, Rig } from './rig.js';
import { traceOf } from './trace.js';

/** A withheld caller ID. */
export const WITHHELD = { number: null, name: null } as const;

/** Starts the engine and waits for its connection. */
export async function connected<E extends Engine>(opened: Opened<E>): Promise<Opened<E>> {
  opened.engine.start(opened.heard.listener);
  await opened.heard.untilType('engine.connected');
  return opened;
}

/** Builds a request for a leg to the endpoint with a new ID; `over` replaces single values. */
export function legTo(endpoint: LegEndpoint, over: Partial<OriginateRequest> = {}): OriginateRequest {
  return {
    legId: newId(),
    endpoint,
    callerId: { number: '+966112345678', name: 'Hatif' },
    ringTimeoutSeconds: 20,
    maxDurationSeconds: 120,
    ...over,
  };
}

/** Calls a phone that answers automatically. @returns the answered leg */
export async function answeredAt(
  { engine, heard }: Opened,
  uri: string,
  over: Partial<OriginateRequest> = {},
): Promise<string> {
  const leg = legTo({ type: 'sip', uri }, over);
  await engine.legs.originate(leg);
  await heard.event('leg.answered', { legId: leg.legId });
  return leg.legId;
}

/** The trunk `carrier`, whose remote side is on this machine; `over` replaces single values. */
export function carrierAt(port: number, over: Partial<Trunk> = {}): Trunk {
  return {
    trunkId: 'carrier',
    host: '127.0.0.1',
    port,
    transport: 'udp',
    credentials: null,
    inboundAddresses: [`127.0.0.1:${port}`],
    ...over,
  };
}

/** Helpers for scenarios. */
export function stage(rigOf: () => Rig) {
  const trace = (legId: string): readonly string[] => traceOf(rigOf().events, legId);
  const until = <Type extends LegEvent['type']>(
    legId: string,
    type: Type,
    fields: Partial<Of<Type>> = {},
  ): Promise<Of<Type>> => rigOf().event(type, { ...fields, legId });
  const originate = async (endpoint: LegEndpoint, over: Partial<OriginateRequest> = {}): Promise<string> => {
    const leg = legTo(endpoint, over);
    await rigOf().engine.legs.originate(leg);
    return leg.legId;
  };
  const answered = async (over: Partial<OriginateRequest> = {}): Promise<{ legId: string; callee: Callee }> => {
    const callee = await rigOf().callee();
    const legId = await originate(callee.endpoint, over);
    await until(legId, 'leg.ringing');
    await callee.answer(legId);
    await until(legId, 'leg.answered');
    return { legId, callee };
  };
  const ended = async (legId: string): Promise<readonly string[]> => {
    await until(legId, 'leg.ended');
    return trace(legId);
  };
  const incoming = (dialled: string): Promise<Of<'leg.incoming'>> => rigOf().event('leg.incoming', { dialled });
  const play = async (legId: string, items: readonly MediaItem[], loop = 1): Promise<string> => {
    const playbackId = newId();
    await rigOf().engine.media.play({ playbackId, target: { legId }, items, loop });
    return playbackId;
  };
  const finished = (legId: string, playbackId: string): Promise<Of<'play.finished'>> =>
    until(legId, 'play.finished', { playbackId });
  const hangUp = async (legId: string): Promise<readonly string[]> => {
    await rigOf().engine.legs.hangup(legId);
    return ended(legId);
  };
  return { trace, until, originate, answered, ended, incoming, play, finished, hangUp };
}

/** Returns `accepted`, or the kind of the engine's error. */
export async function kindOf(command: Promise<unknown>): Promise<string> {
  return command.then(
    () => 'accepted',
    (error: unknown) => (error instanceof EngineError ? error.kind : String(error)),
  );
}

/** Returns a leg's state and bridge in a snapshot; undefined if it is not listed. */
export function placeOf({ legs }: EngineSnapshot, legId: string) {
  const leg = legs.find((other) => other.legId === legId);
  return leg && { state: leg.state, bridgeId: leg.bridgeId };
}
