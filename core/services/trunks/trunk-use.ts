import { unlessUnavailable } from '../../data/errors.js';
import type { TrunkCalls } from '../../data/repositories/engines/trunk-calls.js';
import type { ProjectRow, TrunkRow } from '../../data/rows.js';
import type { CallerId } from '../../model/call/caller-id.js';
import type { TrunkOffer } from '../../model/trunks/choice.js';
import type { Identity, LegEndpoint, OriginateRequest } from '../../ports/engine.js';

export interface TrunkUseOptions {
  readonly directory: {
    trunk(id: string): Promise<TrunkRow | null>;
    project(projectId: string): Promise<Pick<ProjectRow, 'main_number'> | null>;
  };
  readonly calls: Pick<TrunkCalls, 'take'>;
}

/** The end of a leg at a carrier. */
export type CarrierEnd = Extract<LegEndpoint, { type: 'trunk' }>;

/** A leg as its trunk presents it. */
export type Presented = Pick<OriginateRequest, 'endpoint' | 'callerId' | 'identity'>;

/** Finds room on trunks for the legs that are about to be dialled, and presents callers as each trunk wants it. */
export class TrunkUse {
  constructor(private readonly options: TrunkUseOptions) {}

  /**
   * Takes room on the first trunk that has some. Trunks that leave probes unanswered come last. While the database is
   * unavailable, capacities do not count.
   * @returns null if all are full
   */
  async take(
    legId: string,
    offers: readonly TrunkOffer[],
    isDown: (trunkId: string) => boolean,
  ): Promise<TrunkOffer | null> {
    const ordered = offers.toSorted((one, other) => Number(isDown(one.trunkId)) - Number(isDown(other.trunkId)));
    for (const offer of ordered) {
      if (offer.capacity === null) return offer;
      const taken = this.options.calls.take(legId, offer.trunkId, offer.capacity);
      if (await unlessUnavailable(taken, () => true)) return offer;
    }
    return null;
  }

  /** Presents a leg's caller, and whose call it forwards, as the trunk wants it; unchanged if the trunk is unknown. */
  async present(endpoint: CarrierEnd, projectId: string, callerId: CallerId): Promise<Presented> {
    const { directory } = this.options;
    const trunk = await unlessUnavailable(directory.trunk(endpoint.trunkId), () => null);
    if (!trunk) return { endpoint, callerId };
    const isMainNeeded = trunk.caller_id === 'main' || trunk.asserted_identity === 'main';
    const project = isMainNeeded ? await unlessUnavailable(directory.project(projectId), () => null) : null;
    return presented(trunk, project?.main_number ?? null, endpoint, callerId);
  }
}

/** Applies the rules of a trunk to a leg. A caller who shows no number stays withheld. */
export function presented(
  trunk: Pick<TrunkRow, 'caller_id' | 'caller_id_number' | 'asserted_identity' | 'privacy' | 'diversion'>,
  mainNumber: string | null,
  { diversion, ...undiverted }: CarrierEnd,
  { number, name }: CallerId,
): Presented {
  const endpoint = diversion && trunk.diversion ? { ...undiverted, diversion } : undiverted;
  // The engine itself asserts the number that it shows.
  const chosen = trunk.caller_id === 'pass' ? null : number;
  const byRule = { pass: number, caller: chosen, none: null, main: mainNumber, fixed: trunk.caller_id_number };
  const isWithheld = number === null;
  const callerId = { number: isWithheld ? null : (byRule[trunk.caller_id] ?? number), name };
  const identity: Identity = {
    asserted: byRule[trunk.asserted_identity],
    isPrivate: trunk.privacy && isWithheld,
  };
  const isUsual = identity.asserted === null && !identity.isPrivate;
  return { endpoint, callerId, ...(!isUsual && { identity }) };
}
