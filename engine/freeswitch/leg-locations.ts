import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import type { AwaitedEvents } from './awaited-events.js';
import { PROFILE } from './leg-id.js';

/** A location of a leg: the applications that its channel runs there, and the event that confirms its arrival. */
export interface LegLocation {
  readonly name: string;
  readonly applications: string;
  hasArrived(event: EslEvent): boolean;
}

/** Alone: the leg hears silence, and commands run at once. */
export const PARKED: LegLocation = {
  name: 'park',
  applications: 'park:',
  hasArrived: (event) => event['Event-Name'] === 'CHANNEL_PARK',
};

/** All held legs share one music stream: a stream of its own would start from the beginning each time. */
export const ON_HOLD: LegLocation = {
  name: 'hear the music',
  applications: `endless_playback:local_stream://${PROFILE},park:`,
  hasArrived: (event) => event['Event-Name'] === 'CHANNEL_EXECUTE' && event.Application === 'endless_playback',
};

/**
 * A bridge with a helper whose other half echoes the audio. FreeSWITCH's echo application does not read the leg's DTMF;
 * a bridge passes it on and fires events. The helper ends when the leg leaves.
 */
export const ECHO: LegLocation = {
  name: 'hear its echo',
  applications: 'bridge:loopback/echo/hatif-echo/XML,park:',
  hasArrived: (event) => event['Event-Name'] === 'CHANNEL_BRIDGE',
};

/** A conference; DTMF is passed to the other members, as between two phones. */
export function inBridge(bridgeId: string): LegLocation {
  return {
    name: 'join the bridge',
    applications: `conference:${bridgeId}@${PROFILE}+flags{dist-dtmf},park:`,
    hasArrived: (event) => joins(event, bridgeId),
  };
}

/** Hears both directions of the channel's audio; with `whispers` the channel's phone hears the leg. DTMF keys do not change the mode. */
export function listeningTo(channelId: string, whispers: boolean): LegLocation {
  const how = [
    'set:eavesdrop_enable_dtmf=false',
    `set:eavesdrop_whisper_bleg=${String(whispers)}`,
    `eavesdrop:${channelId}`,
  ];
  return {
    name: 'listen to the other',
    applications: `${how.join(',')},park:`,
    hasArrived: (event) =>
      event['Event-Name'] === 'CHANNEL_EXECUTE' &&
      event.Application === 'eavesdrop' &&
      event['Application-Data'] === channelId,
  };
}

function joins(event: EslEvent, bridgeId: string): boolean {
  return (
    event['Event-Subclass'] === 'conference::maintenance' &&
    event.Action === 'add-member' &&
    event['Conference-Name'] === bridgeId
  );
}

/**
 * Adds a muted helper channel to a bridge. Resolves when it has joined.
 * @throws EngineError
 */
export async function joinMuted(
  link: EslLink,
  awaitedEvents: AwaitedEvents,
  channelId: string,
  bridgeId: string,
): Promise<void> {
  const arrival = awaitedEvents.expect(channelId, 'joinMuted the bridge', (event) => joins(event, bridgeId));
  const variables = `origination_uuid=${channelId},loopback_bowout=false`;
  try {
    await link.api(
      `originate {${variables}}loopback/tap/hatif-tap/XML &conference(${bridgeId}@${PROFILE}+flags{mute})`,
    );
    await arrival.occurred;
  } catch (error) {
    arrival.forget();
    throw error;
  }
}

/**
 * Moves a channel to a location. Resolves when it has arrived.
 * @throws EngineError `no_such_leg`
 */
export async function move(
  link: EslLink,
  awaitedEvents: AwaitedEvents,
  channelId: string,
  place: LegLocation,
): Promise<void> {
  const arrival = awaitedEvents.expect(channelId, place.name, (event) => place.hasArrived(event));
  try {
    await link.api(`uuid_transfer ${channelId} '${place.applications}' inline`);
    await arrival.occurred;
  } catch (error) {
    arrival.forget();
    throw error;
  }
}
