import { isId } from '../../core/model/ids.js';
import { EngineError, type Bridges } from '../../core/ports/engine.js';
import { bridgeMark, MARK } from './bridge-mark.js';
import type { EslLink } from './esl/esl-link.js';
import { isMissing } from './freeswitch-legs.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import { isRecorder } from './freeswitch-recordings.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { inBridge, move, PARKED } from './leg-locations.js';

/** Bridges are conferences, for one or more legs. They survive a restart of the application. */
export class FreeswitchBridges implements Bridges {
  /** The bridges that FreeSWITCH has marks for. */
  readonly #known = new Set<string>();

  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly awaitedEvents: AwaitedEvents,
  ) {}

  async create(bridgeId: string): Promise<void> {
    this.link.require();
    if (!isId(bridgeId)) throw new EngineError('rejected', 'The bridge id is not a UUID');
    await this.link.api(`global_setvar ${bridgeMark(bridgeId)}=1`);
    this.#known.add(bridgeId);
  }

  /** Also removes the leg from its current bridge, and stops its playbacks. */
  async add(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    this.#require(bridgeId);
    await this.media.stopAllOf(legId);
    await move(this.link, this.awaitedEvents, this.registry.channelOf(legId), inBridge(bridgeId));
    const leg = this.registry.leg(legId);
    if (leg) [leg.held, leg.echo, leg.monitors] = [false, false, false];
  }

  async remove(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    this.#require(bridgeId);
    const channelId = this.registry.channelOf(legId);
    if (!(await membersOf(this.link, bridgeId)).includes(channelId)) {
      await this.link.api(`uuid_getvar ${channelId} uuid`);
      return;
    }
    await move(this.link, this.awaitedEvents, channelId, PARKED);
  }

  async destroy(bridgeId: string): Promise<void> {
    this.link.require();
    await this.link.api(`global_setvar ${bridgeMark(bridgeId)}=`);
    this.#known.delete(bridgeId);
    const members = await membersOf(this.link, bridgeId);
    await Promise.all(
      members.map((channelId) =>
        this.#removeMember(channelId).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        }),
      ),
    );
    this.media.targetEnded(bridgeId, new Date());
  }

  /** Parks a leg; hangs up the helper channel of a recording. */
  async #removeMember(channelId: string): Promise<void> {
    if (isRecorder(channelId)) await this.link.api(`uuid_kill ${channelId}`);
    else await move(this.link, this.awaitedEvents, channelId, PARKED);
  }

  /** Reads the bridges that FreeSWITCH has: after a connect, and for a list. @returns the ids */
  async refresh(): Promise<readonly string[]> {
    const variables = await this.link.api('global_getvar');
    this.#known.clear();
    for (const [, bridgeId = ''] of variables.matchAll(new RegExp(`^${MARK}([0-9a-f-]{36})=1$`, 'gm'))) {
      this.#known.add(bridgeId);
    }
    return [...this.#known];
  }

  #require(bridgeId: string): void {
    if (!this.#known.has(bridgeId)) throw new EngineError('no_such_leg', `No such bridge: ${bridgeId}`);
  }
}

interface ListedConference {
  readonly conference_name: string;
  readonly members?: readonly { readonly uuid?: string }[];
}

/** Returns the channels in a conference. */
async function membersOf(link: EslLink, bridgeId: string): Promise<readonly string[]> {
  try {
    return conferencesOf(await link.api(`conference ${bridgeId} json_list`)).get(bridgeId) ?? [];
  } catch (error) {
    // A conference does not exist while it has no members.
    if (error instanceof EngineError && error.kind === 'rejected') return [];
    throw error;
  }
}

/** Returns all conferences with their channels. */
export async function allMembers(link: EslLink): Promise<ReadonlyMap<string, readonly string[]>> {
  return conferencesOf(await link.api('conference json_list'));
}

function conferencesOf(answer: string): Map<string, readonly string[]> {
  if (!answer.trimStart().startsWith('[')) return new Map();
  const listed = JSON.parse(answer) as readonly ListedConference[];
  return new Map(
    listed.map(({ conference_name: name, members = [] }) => [name, members.flatMap(({ uuid }) => uuid ?? [])]),
  );
}
