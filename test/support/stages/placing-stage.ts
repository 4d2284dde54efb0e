import { CallWriter } from '../../../core/data/call-writer.js';
import type { Database } from '../../../core/data/database.js';
import { findTrialStart, sandboxSecondsUsed } from '../../../core/data/repositories/accounts/sandbox-trials.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { Placement } from '../../../core/services/calls/placement.js';
import { SystemCall } from '../../../core/services/calls/system-call.js';
import { LegGate } from '../../../core/services/dialling/leg-gate.js';
import type { CallVelocity } from '../../../core/services/dialling/velocity.js';
import { PickEngine } from '../../../core/services/engines/pick.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import { SandboxDestinations } from '../../../core/services/sandbox/destinations.js';
import { SandboxTrial } from '../../../core/services/sandbox/trial.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../logger.js';
import { sipTargetsOn } from '../rows/sip-targets.js';
import { directoryOn } from '../rows/directory.js';
import { fraudGuardOn } from '../rows/fraud-guard.js';
import { callCommandOf } from '../calls/call-command.js';
import { callControllerRig, type CallControllerRig } from './call-controller.js';

/**
 * Two simulated engines on one virtual clock, one for real telephones (`phones`) and one for the sandbox, with the
 * services that place calls on them.
 */
export interface PlacingStage {
  readonly clock: VirtualClock;
  readonly phones: CallControllerRig;
  readonly sandbox: CallControllerRig;
  readonly bus: CommandBus;
  readonly directory: CachedDirectory;
  readonly routing: DirectoryRouting;
  readonly placement: Placement;
  readonly engines: PickEngine;
  readonly trial: SandboxTrial;
  readonly destinations: SandboxDestinations;
  readonly systemCall: SystemCall;
  /** Stops both call controllers. */
  close(): Promise<void>;
}

interface PlacingOptions {
  /** The limits of the sandbox trial. */
  readonly trial?: ConstructorParameters<typeof SandboxTrial>[1];
  /** Limits how fast calls are placed; absent: nothing does. */
  readonly velocity?: CallVelocity;
  /** Returns a replacement of the command bus; null: none. */
  readonly send?: () => CommandBus['send'] | null;
}

/** Engines that other stages left on the database become unreachable. The project's main number is that of `phones`. */
export async function placingStage(
  db: Database,
  { trial: limits = { days: 30, minutes: 100 }, send = () => null, velocity }: PlacingOptions = {},
): Promise<PlacingStage> {
  await db.query(`UPDATE engines SET status = 'unreachable'`);
  const clock = new VirtualClock(new Date());
  const phones = await callControllerRig(db, { clock });
  const sandbox = await callControllerRig(db, { clock, sandbox: true });
  await db.query(
    `UPDATE engines SET owner = 'test', lease_expires_at = now() + interval '1 day',
       kind = CASE WHEN id = $1 THEN 'simulator' ELSE 'asterisk' END
     WHERE status = 'up'`,
    [sandbox.ground.engineId],
  );
  await new Projects(db).setMainNumber(phones.ground.projectId, phones.line);
  const rigs = new Map([phones, sandbox].map((rig) => [rig.ground.engineId, rig]));
  const bus: CommandBus = {
    send: (engineId, command) =>
      (send() ?? ((id, given) => rigs.get(id)!.controller.command(callCommandOf(given))))(engineId, command),
    serve: () => Promise.reject(new Error('is not used')),
    close: () => Promise.resolve(),
  };
  const directory = directoryOn(db);
  const routing = new DirectoryRouting(directory);
  const { credit } = phones;
  const gate = new LegGate({
    directory,
    ...(velocity && { velocity }),
    credit,
    fraud: fraudGuardOn(db, credit, clock),
    sipTargets: sipTargetsOn(db, clock),
    liveCalls: (projectId, except) => phones.calls.countLive(projectId, except),
  });
  const placement = new Placement({ directory, writer: new CallWriter(db), bus, gate, credit, clock, log: quiet });
  const table = new Engines(db);
  const engines = new PickEngine({
    offers: (kinds) => table.offers(kinds),
    placesOf: (aor) => directory.placesOf(aor),
  });
  const trial = new SandboxTrial(
    { startOf: (id) => findTrialStart(db, id), secondsUsed: (id, now) => sandboxSecondsUsed(db, id, now) },
    limits,
  );
  const numbers = new Numbers(db);
  const destinations = new SandboxDestinations((e164, owner) => numbers.isVerified(e164, owner));
  return {
    ...{ clock, phones, sandbox, bus, directory, routing, placement, engines, trial },
    destinations,
    systemCall: new SystemCall({ placement, routing, engines, trial, destinations, clock }),
    async close() {
      await phones.controller.stop();
      await sandbox.controller.stop();
    },
  };
}

/** A stage whose routes place calls on a {@link PlacingStage}. */
export abstract class OnPlacingStage {
  protected constructor(protected readonly placing: PlacingStage) {}

  get clock(): VirtualClock {
    return this.placing.clock;
  }

  get phones(): CallControllerRig {
    return this.placing.phones;
  }

  get sandbox(): CallControllerRig {
    return this.placing.sandbox;
  }

  get projectId(): string {
    return this.phones.ground.projectId;
  }
}
