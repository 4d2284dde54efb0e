import { newId } from '../../core/model/ids.js';
import {
  EngineError,
  type EngineEvent,
  type LegEndpoint,
  type LegEvent,
  type MediaItem,
  type OriginateRequest,
} from '../../core/ports/engine.js';
import type { Callee, Rig } from './rig.js';
import { traceOf } from './trace.js';

/** What scenarios are made of. */
export function stage(rigOf: () => Rig) {
  const trace = (legId: string): readonly string[] => traceOf(rigOf().events, legId);
  const until = <Type extends LegEvent['type']>(
    legId: string,
    type: Type,
    where: (event: Extract<LegEvent, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<LegEvent, { type: Type }>> => {
    const isIt = (event: EngineEvent): event is Extract<LegEvent, { type: Type }> =>
      event.type === type &&
      'legId' in event &&
      event.legId === legId &&
      where(event as Extract<LegEvent, { type: Type }>);
    return rigOf().until(isIt);
  };
  const originate = async (endpoint: LegEndpoint, over: Partial<OriginateRequest> = {}): Promise<string> => {
    const legId = newId();
    await rigOf().engine.legs.originate({
      legId,
      endpoint,
      callerId: { number: '+966112345678', name: 'Hatif' },
      ringTimeoutSeconds: 20,
      maxDurationSeconds: 120,
      ...over,
    });
    return legId;
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
  const incoming = async (dialled: string): Promise<Extract<LegEvent, { type: 'leg.incoming' }>> => {
    const isIt = (event: EngineEvent): event is Extract<LegEvent, { type: 'leg.incoming' }> =>
      event.type === 'leg.incoming' && event.dialled === dialled;
    return rigOf().until(isIt);
  };
  const play = async (legId: string, items: readonly MediaItem[], loop = 1): Promise<string> => {
    const playbackId = newId();
    await rigOf().engine.media.play({ playbackId, target: { legId }, items, loop });
    return playbackId;
  };
  const finished = async (legId: string, playbackId: string) =>
    until(legId, 'play.finished', (event) => event.playbackId === playbackId);
  const hangUp = async (legId: string): Promise<readonly string[]> => {
    await rigOf().engine.legs.hangup(legId);
    return ended(legId);
  };
  return { trace, until, originate, answered, ended, incoming, play, finished, hangUp };
}

/** `accepted`, or the kind of error with which the engine refused. */
export async function kindOf(command: Promise<unknown>): Promise<string> {
  return command.then(
    () => 'accepted',
    (error: unknown) => (error instanceof EngineError ? error.kind : String(error)),
  );
}
