import type { Engine, EngineStatus } from '../../core/ports/engine.js';
import { EngineLease } from '../../core/services/engine-ownership/lease.js';
import { SipHealth } from '../../core/services/engine-ownership/sip-health.js';
import type { EngineDefinition, OwnershipOptions } from './engine-definition.js';
import { deadOwner } from './owner-name.js';

export interface OpenLease {
  readonly lease: EngineLease;
  /** Reported to other processes with each renewal of the lease. */
  readonly sipHealth: SipHealth;
  /** Resolves when the lease is lost or released. */
  readonly over: Promise<void>;
}

/**
 * Opens the lease on an engine, without acquiring it.
 * @param owner name under which this process requests the lease
 * @param isReady whether the engine has all softphones and trunks
 * @param onRegained called when an expired lease is held again, without another owner in between
 */
export function openLease(
  { engineId, sip: address }: EngineDefinition,
  { stores: { engines }, probe, clock, log }: Pick<OwnershipOptions, 'stores' | 'probe' | 'clock' | 'log'>,
  engine: Engine,
  owner: string,
  isReady: () => boolean,
  onRegained: () => void,
): OpenLease {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const lease = new EngineLease({
    table: {
      acquire: async (id, asking, ttlMs) => {
        const dead = deadOwner((await engines.get(id))?.owner ?? null);
        return engines.acquire(id, asking, ttlMs, dead === null ? {} : { evenFrom: dead });
      },
      renew: (id, holder, epoch, ttlMs, status) =>
        engines.renew(id, holder, epoch, ttlMs, { ...status, sip: sipHealth.status }),
      release: (id, holder, epoch) => engines.release(id, holder, epoch),
    },
    engineId,
    owner,
    clock,
    log,
    status: () => (isReady() ? engine.status : notReady(engine.status)),
    onOver: end,
    onRegained,
  });
  const sipHealth = new SipHealth({
    address,
    probe,
    isConnected: () => engine.status.status === 'up',
    clock,
    log,
    onChange: () => {
      lease.renew().catch((error: unknown) => log.error({ err: error }, 'the lease could not be renewed'));
    },
  });
  return { lease, sipHealth, over };
}

/**
 * What other processes see of an engine that is connected but cannot place calls yet. The boot id of the time before
 * stays, so that the next owner knows that the engine restarted, even if this one dies now.
 */
function notReady({ version }: EngineStatus): EngineStatus {
  return { status: 'unreachable', bootId: null, version };
}
