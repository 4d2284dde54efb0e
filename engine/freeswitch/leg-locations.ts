import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import type { AwaitedEvents } from './awaited-events.js';
import { PROFILE } from './leg-id.js';

/** Somewhere a leg can be: applications that its channel carries out, and the event by which it is known to be there. */
export interface LegLocation {
  readonly name: string;
  readonly applications: string;
  isThere(event: EslEvent): boolean;
}

/** Alone: silence, and every command is carried out at once. */
export const PARKED: LegLocation = {
  name: 'park',
  applications: 'park:',
  isThere: (event) => event['Event-Name'] === 'CHANNEL_PARK',
};

/** A stream of its own for each leg would begin anew each time; all held legs hear the same. */
export const ON_HOLD: LegLocation = {
  name: 'hear the music',
  applications: `endless_playback:local_stream://${PROFILE},park:`,
  isThere: (event) => event['Event-Name'] === 'CHANNEL_EXECUTE' && event.Application === 'endless_playback',
};

/**
 * A bridge with a helper whose other half sends back what it hears. FreeSWITCH's own echo application leaves the leg's digits lying; a bridge hands
 * them on, and tells. Whoever leaves it ends the helper.
 */
export const ECHO: LegLocation = {
  name: 'hear its echo',
  applications: 'bridge:loopback/echo/hatif-echo/XML,park:',
  isThere: (event) => event['Event-Name'] === 'CHANNEL_BRIDGE',
};

/** A conference; digits go through to the others, as they do between two phones. */
export function inBridge(bridgeId: string): LegLocation {
  return {
    name: 'join the bridge',
    applications: `conference:${bridgeId}@${PROFILE}+flags{dist-dtmf},park:`,
    isThere: (event) => joins(event, bridgeId),
  };
}

/** What the channel's phone hears and says; with `whispers` it hears what is said here. No key changes that. */
export function listeningTo(channelId: string, whispers: boolean): LegLocation {
  const how = [
    'set:eavesdrop_enable_dtmf=false',
    `set:eavesdrop_whisper_bleg=${String(whispers)}`,
    `eavesdrop:${channelId}`,
  ];
  return {
    name: 'listen to the other',
    applications: `${how.join(',')},park:`,
    isThere: (event) =>
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
 * Brings a helper channel into a bridge that hears it and says nothing. Resolves when it is there.
 * @throws EngineError
 */
export async function attend(
  link: EslLink,
  happenings: AwaitedEvents,
  channelId: string,
  bridgeId: string,
): Promise<void> {
  const arrival = happenings.expect(channelId, 'attend the bridge', (event) => joins(event, bridgeId));
  const variables = `origination_uuid=${channelId},loopback_bowout=false`;
  try {
    await link.api(
      `originate {${variables}}loopback/tap/hatif-tap/XML &conference(${bridgeId}@${PROFILE}+flags{mute})`,
    );
    await arrival.happened;
  } catch (error) {
    arrival.forget();
    throw error;
  }
}

/**
 * Moves a channel out of wherever it is. Resolves when it is there.
 * @throws EngineError `no_such_leg`
 */
export async function move(
  link: EslLink,
  happenings: AwaitedEvents,
  channelId: string,
  place: LegLocation,
): Promise<void> {
  const arrival = happenings.expect(channelId, place.name, (event) => place.isThere(event));
  try {
    await link.api(`uuid_transfer ${channelId} '${place.applications}' inline`);
    await arrival.happened;
  } catch (error) {
    arrival.forget();
    throw error;
  }
}
