import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { CallerId } from '../../core/model/call/caller-id.js';
import type { Legs, LegEndpoint, OriginateRequest, TransferOutcome } from '../../core/ports/engine.js';
import { newId } from '../../core/model/ids.js';
import { EngineError } from '../../core/ports/engine.js';
import { PARTIES, type Party } from './party.js';
import { stopQueue } from './simulator-media.js';
import type { SimulatedLeg, World } from './world.js';

const DIGIT_MS = 100;

/** Failing commands reject asynchronously, like commands of an engine that is reached over a network. */
export class SimulatorLegs implements Legs {
  constructor(
    private readonly world: World,
    private readonly partyOf: (endpoint: LegEndpoint) => Party,
    private readonly isRegistered: (aor: string) => boolean,
  ) {}

  async originate(request: OriginateRequest): Promise<void> {
    this.world.require();
    const { endpoint } = request;
    if (endpoint.type === 'softphone' && !this.isRegistered(endpoint.aor)) {
      throw new EngineError('rejected', `${endpoint.aor} has no reachable contact`);
    }
    const leg = this.world.open(request.legId);
    this.world.later(leg, request.maxDurationSeconds * 1000, () => this.world.end(leg, Q850.NORMAL_CLEARING, null));
    const party = endpoint.type === 'inside' ? PARTIES.neverRings : this.partyOf(endpoint);
    this.#schedule(leg, party, request.ringTimeoutSeconds * 1000);
    if (endpoint.type === 'inside') this.#callInside(leg, endpoint.number, request.callerId);
    return Promise.resolve();
  }

  #callInside(caller: SimulatedLeg, dialled: string, callerId: CallerId): void {
    const legId = newId();
    this.world.comeIn(caller, legId);
    const source = { type: 'inside', legId: caller.legId } as const;
    this.world.emitLegEvent(legId, { type: 'leg.incoming', source, dialled, callerId });
  }

  #schedule(leg: SimulatedLeg, party: Party, ringTimeoutMs: number): void {
    const { world } = this;
    if (party.ringsAfterMs !== null) world.later(leg, party.ringsAfterMs, () => world.ring(leg));
    if (party.refuses) {
      const { afterMs, q850, sipCode } = party.refuses;
      world.later(leg, afterMs, () => world.end(leg, q850, sipCode));
    }
    if (!party.ignoresRingTimeout) {
      world.later(leg, ringTimeoutMs, () => {
        if (!leg.answered) world.end(leg, leg.ringing ? Q850.NO_ANSWER : Q850.NO_USER_RESPONDING, null);
      });
    }
    if (party.answersAfterMs === null) return;
    world.later(leg, party.answersAfterMs, () => {
      world.answer(leg);
      if (party.presses) this.#press(leg, party.presses);
      if (party.hangsUpAfterMs !== null) {
        world.later(leg, party.hangsUpAfterMs, () => world.end(leg, Q850.NORMAL_CLEARING, null));
      }
    });
  }

  #press(leg: SimulatedLeg, presses: NonNullable<Party['presses']>): void {
    const { world } = this;
    world.later(leg, presses.everyMs, () => {
      world.emitLegEvent(leg.legId, { type: 'leg.dtmf', digit: presses.digit, durationMs: DIGIT_MS });
      this.#press(leg, presses);
    });
  }

  async answer(legId: string): Promise<void> {
    await this.#on(legId, (leg) => this.world.answer(leg));
  }

  async ring(legId: string): Promise<void> {
    await this.#on(legId, ({ other }) => {
      if (other?.dialled === true) this.world.ring(other.leg);
    });
  }

  hangup(legId: string, q850: number = Q850.NORMAL_CLEARING): Promise<void> {
    return attempt(() => {
      this.world.require();
      const leg = this.world.legs.get(legId);
      if (leg) this.world.end(leg, q850, null);
    });
  }

  /** Simulated callers see no SIP. */
  reject(legId: string): Promise<void> {
    return this.hangup(legId, Q850.CALL_REJECTED);
  }

  async hold(legId: string): Promise<void> {
    await this.#on(legId, (leg) => {
      stopQueue(this.world, legId);
      leg.held = true;
      leg.monitors = null;
      leg.bridgeId = null;
    });
  }

  async unhold(legId: string): Promise<void> {
    await this.#on(legId, (leg) => (leg.held = false));
  }

  async mute(legId: string): Promise<void> {
    await this.#on(legId, (leg) => (leg.muted = true));
  }

  async unmute(legId: string): Promise<void> {
    await this.#on(legId, (leg) => (leg.muted = false));
  }

  async sendDtmf(legId: string, digits: string): Promise<void> {
    await this.#on(legId, (leg) => {
      leg.sentDigits += digits;
      if (leg.other) this.world.press(leg.other.leg, digits.replaceAll('w', ''));
    });
  }

  async echo(legId: string): Promise<void> {
    await this.#on(legId, (leg) => {
      stopQueue(this.world, legId);
      leg.echo = true;
      leg.monitors = null;
    });
  }

  async stopEcho(legId: string): Promise<void> {
    await this.#on(legId, (leg) => (leg.echo = false));
  }

  async reportTransfer(legId: string, outcome: TransferOutcome): Promise<void> {
    await this.#on(legId, (leg) => (leg.transferOutcome = outcome));
  }

  #on(legId: string, change: (leg: SimulatedLeg) => void): Promise<void> {
    return attempt(() => change(this.world.leg(legId)));
  }
}

export function attempt(run: () => void): Promise<void> {
  return new Promise((resolve) => {
    run();
    resolve();
  });
}
