import { isId } from '../../core/model/ids.js';
import { EngineError, type Bridges } from '../../core/ports/engine.js';
import { bridgeMark, MARK } from './bridge-mark.js';
import type { EslLink } from './esl/esl-link.js';
import { isMissing } from './freeswitch-legs.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import { isEar } from './freeswitch-recordings.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { inBridge, move, PARKED } from './leg-locations.js';

/** Conferences, for any number of legs, one included. They hold while the application is away. */
export class FreeswitchBridges implements Bridges {
  /** The bridges that FreeSWITCH has marks of. */
  readonly #known = new Set<string>();

  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly happenings: AwaitedEvents,
  ) {}

  async create(bridgeId: string): Promise<void> {
    this.link.require();
    if (!isId(bridgeId)) throw new EngineError('rejected', 'A bridge is named by an id');
    await this.link.api(`global_setvar ${bridgeMark(bridgeId)}=1`);
    this.#known.add(bridgeId);
  }

  /** Also takes the leg out of the bridge that it was in, and stops what is played to it. */
  async add(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    this.#require(bridgeId);
    await this.media.stopAllOf(legId);
    await move(this.link, this.happenings, this.registry.channelOf(legId), inBridge(bridgeId));
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
    await move(this.link, this.happenings, channelId, PARKED);
  }

  async destroy(bridgeId: string): Promise<void> {
    this.link.require();
    await this.link.api(`global_setvar ${bridgeMark(bridgeId)}=`);
    this.#known.delete(bridgeId);
    const members = await membersOf(this.link, bridgeId);
    await Promise.all(
      members.map((channelId) =>
        this.#dismiss(channelId).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        }),
      ),
    );
    this.media.targetEnded(bridgeId, new Date());
  }

  /** A leg stays; what records the bridge ends with it. */
  async #dismiss(channelId: string): Promise<void> {
    if (isEar(channelId)) await this.link.api(`uuid_kill ${channelId}`);
    else await move(this.link, this.happenings, channelId, PARKED);
  }

  /** What FreeSWITCH holds: after a connect, and for a list. @returns the ids */
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

/** The channels in a conference. */
async function membersOf(link: EslLink, bridgeId: string): Promise<readonly string[]> {
  try {
    return conferencesOf(await link.api(`conference ${bridgeId} json_list`)).get(bridgeId) ?? [];
  } catch (error) {
    // There is none while nobody is in it.
    if (error instanceof EngineError && error.kind === 'rejected') return [];
    throw error;
  }
}

/** Every conference with its channels. */
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
