import { Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { CallCommand, CommandOutcome, LegAction } from '../../../ports/command-bus.js';
import { EngineError, type Engine, type MediaItem } from '../../../ports/engine.js';
import type { RecordingConsent } from '../../recordings/consent.js';
import type { LiveCall } from '../call/live-call.js';

type ControlCommand = Extract<CallCommand, { type: 'control' }>;

export interface ControlContext {
  readonly engine: Engine;
  readonly consent: Pick<RecordingConsent, 'announcement'>;
}

/**
 * Executes one control action of the API on a live call, in the call's turn. A repeat (hold of a held leg) does
 * nothing. The timeline gets no digits and no played content.
 * @throws EngineError if the engine refuses
 */
export async function controlLeg(
  { engine, consent }: ControlContext,
  live: LiveCall,
  command: ControlCommand,
): Promise<CommandOutcome> {
  const { state } = live;
  const { action } = command.what;
  if (state.isFinal) return { result: 'not_active' };
  if (engine.status.status === 'unreachable') return { result: 'not_controllable' };
  const noted = { leg: command.leg, actor: command.actor, request_id: command.requestId, ...contentOf(command.what) };
  if (action === 'cancel' && live.status === 'answered') return { result: 'not_active' };
  if (action === 'cancel' || (action === 'hangup' && command.leg === 'customer')) {
    live.note(`control.${action}`, noted);
    await live.end({ q850: Q850.NORMAL_CLEARING, status: 'cancelled', disposition: 'cancelled' });
    return { result: 'done' };
  }
  if (live.status !== 'answered') return { result: 'not_answered' };
  // During a transfer, the transfer decides which parties hear each other.
  if ((action === 'hold' || action === 'unhold') && state.transfer) return { result: 'transfer_in_progress' };
  const leg = state.legOf(command.leg);
  if (leg?.status !== 'answered') return { result: 'leg_not_connected' };
  const announcement = action === 'recording_start' ? await consent.announcement(state.row.project_id) : [];
  if (announcement === null) return { result: 'not_announced' };
  live.note(`control.${action}`, noted);
  try {
    await act(engine, live, leg.id, command.what, announcement);
  } catch (error) {
    // The leg hung up at this moment; the call's own events follow.
    if (error instanceof EngineError && error.kind === 'no_such_leg') return { result: 'leg_not_connected' };
    throw error;
  }
  return { result: 'done' };
}

async function act(
  engine: Engine,
  live: LiveCall,
  legId: string,
  what: LegAction,
  announcement: readonly MediaItem[],
): Promise<void> {
  const leg = live.state.leg(legId);
  switch (what.action) {
    case 'hangup':
    case 'cancel':
      return live.hangupLeg(legId, Q850.NORMAL_CLEARING);
    case 'hold':
      return leg?.on_hold === true ? undefined : live.hold(legId);
    case 'unhold':
      return leg?.on_hold === true ? live.unhold(legId) : undefined;
    case 'mute':
    case 'unmute': {
      const muted = what.action === 'mute';
      return leg?.muted === muted ? undefined : live.mute(legId, muted);
    }
    case 'dtmf':
      return engine.legs.sendDtmf(legId, what.digits);
    case 'play':
      return live.playbacks.play(legId, [{ type: 'file', path: what.path }], what.loop);
    case 'play_stop':
      return live.playbacks.stop(legId);
    case 'recording_start':
      return startRecording(engine, live, legId, what, announcement);
    case 'recording_stop':
      return live.recordings.stop(legId);
    case 'recording_pause':
      return live.recordings.pause(legId);
    case 'recording_resume':
      return live.recordings.resume(legId);
  }
}

/** The recording starts first, so that it contains the announcement. */
async function startRecording(
  engine: Engine,
  live: LiveCall,
  legId: string,
  { channels, maxSeconds, transcribe }: Extract<LegAction, { action: 'recording_start' }>,
  announcement: readonly MediaItem[],
): Promise<void> {
  if (live.state.recordingOf(legId)) return;
  await live.recordings.start(legId, channels, maxSeconds, transcribe);
  if (announcement.length === 0) return;
  const { conference } = live.state;
  const customer = live.leg('customer');
  if (conference?.isStarted === true) {
    // All participants of the conference are on the recording.
    const target = { bridgeId: conference.id };
    await engine.media.play({ playbackId: newId(), target, items: announcement });
  } else if (customer) {
    await live.play(customer.legId, announcement);
  }
}

/** What may be logged of an action: how many digits, never which. */
function contentOf(what: LegAction): Readonly<Record<string, unknown>> {
  if (what.action === 'dtmf') return { digits_count: what.digits.length };
  return what.action === 'play' ? { loop: what.loop } : {};
}
