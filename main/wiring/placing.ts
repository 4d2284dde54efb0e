import type { Redis } from 'ioredis';
import type { Settings } from '../../config/settings.js';
import type { Clock } from '../../core/ports/clock.js';
import type { CommandBus } from '../../core/ports/command-bus.js';
import type { Logger } from '../../core/ports/logger.js';
import { findTrialStart, sandboxSecondsUsed } from '../../core/data/repositories/accounts/sandbox-trials.js';
import { Placement } from '../../core/services/calls/placement.js';
import { SystemCall } from '../../core/services/calls/system-call.js';
import type { Credit } from '../../core/services/billing/credit.js';
import { FraudGuard, type FraudObserver } from '../../core/services/dialling/fraud-guard.js';
import { LegGate } from '../../core/services/dialling/leg-gate.js';
import { RedisCallVelocity, type CallVelocity } from '../../core/services/dialling/velocity.js';
import { PickEngine } from '../../core/services/engines/pick.js';
import { DirectoryRouting } from '../../core/services/routing/destinations.js';
import { SandboxDestinations } from '../../core/services/sandbox/destinations.js';
import { SandboxTrial } from '../../core/services/sandbox/trial.js';
import { environmentFlags } from './flags.js';
import { openSipTargets } from './sip-targets.js';
import type { Stores } from './stores.js';

/** Services that place calls from this process. */
export interface Placing {
  readonly gate: LegGate;
  readonly velocity: CallVelocity;
  readonly placement: Placement;
  readonly routing: DirectoryRouting;
  readonly engines: PickEngine;
  readonly trial: SandboxTrial;
  readonly destinations: SandboxDestinations;
  readonly systemCall: SystemCall;
}

export interface PlacingOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly bus: CommandBus;
  readonly credit: Credit;
  readonly redis: Redis;
  readonly observer: FraudObserver;
  /** Called with lanes that have webhooks to deliver. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openPlacing(options: PlacingOptions): Placing {
  const { settings, stores, bus, credit, redis, observer, wake, clock, log } = options;
  const { db, directory, writer } = stores;
  const routing = new DirectoryRouting(directory);
  const flags = environmentFlags(settings);
  const velocity = new RedisCallVelocity({
    redis,
    limits: {
      perMinute: settings.CALL_VELOCITY_PER_MINUTE,
      numberPerTenMinutes: settings.CALL_VELOCITY_NUMBER_PER_10_MINUTES,
    },
    isOn: async (id) => (await stores.organizations.get(id))?.flags.call_velocity ?? flags.call_velocity ?? false,
    log,
  });
  const gate = new LegGate({
    directory,
    liveCalls: (projectId, except) => stores.calls.countLive(projectId, except),
    sipTargets: openSipTargets(stores, clock),
    velocity,
    fraud: new FraudGuard({ db, table: stores.fraudGuard, credit, clock, observer, wake }),
    credit,
    emergency: new Set(settings.EMERGENCY_NUMBERS),
  });
  const placement = new Placement({ directory, writer, bus, gate, credit, clock, log });
  const engines = new PickEngine({
    offers: (kinds) => stores.engines.offers(kinds),
    placesOf: (aor) => directory.placesOf(aor),
  });
  const trial = new SandboxTrial(
    {
      startOf: (projectId) => findTrialStart(db, projectId),
      secondsUsed: (projectId, now) => sandboxSecondsUsed(db, projectId, now),
    },
    { days: settings.SANDBOX_TRIAL_DAYS, minutes: settings.SANDBOX_TRIAL_MINUTES },
  );
  const destinations = new SandboxDestinations((e164, owner) => stores.numbers.isVerified(e164, owner));
  const systemCall = new SystemCall({ placement, routing, engines, trial, destinations, clock });
  return { gate, velocity, placement, routing, engines, trial, destinations, systemCall };
}
