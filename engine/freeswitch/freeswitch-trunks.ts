import type { TrunkState } from '../../core/model/trunks/state.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import { EngineError } from '../../core/ports/engine.js';
import type { Trunk, Trunks } from '../../core/ports/engine/peers.js';
import type { Logger } from '../../core/ports/logger.js';
import { TrunkProbes } from '../common/trunk-probes.js';
import { checkCredentials, checkDtmf } from './dial-string.js';
import type { EslLink } from './esl/esl-link.js';
import { PROFILE } from './leg-id.js';
import { ANSWERED_ADDRESS, ANSWERED_LIST, gatewayOf, lineOf } from './xml.js';

const RETRY_MS = 2_000;
/** FreeSWITCH gives up a probe when its transaction times out (RFC 3261 timer F); one more interval is its own clock. */
const PROBE_TIMEOUT_MS = 34_000;

interface Gateway {
  readonly name: string;
  readonly isUp: boolean;
  /** How long the last probe took to be answered; 0 if none was answered. */
  readonly pingMs: number;
}

/**
 * An outbound call carries its trunk's credentials, and FreeSWITCH requests the inbound addresses from the application
 * on each `reloadacl`. It keeps a gateway for each trunk that is probed, only to probe it, and another one for each at
 * which it registers: calls do not use them.
 */
export class FreeswitchTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();
  readonly #probes: TrunkProbes;
  #isRetrying = false;
  #hasGateways = false;
  /** Removed gateways that FreeSWITCH still lists: one of the same name can be added only when they are gone. */
  readonly #leaving = new Set<string>();

  constructor(
    private readonly link: EslLink,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly probeSeconds: number,
    private readonly onPut: () => void,
  ) {
    this.#probes = new TrunkProbes(clock, probeSeconds * 1000 + PROBE_TIMEOUT_MS);
  }

  /** Resolves even if FreeSWITCH is unreachable: it reloads the addresses at the next connect. */
  async put(trunk: Trunk): Promise<void> {
    checkCredentials(trunk);
    checkDtmf(trunk);
    this.#trunks.set(trunk.trunkId, trunk);
    if (this.link.status.status !== 'up') return;
    await this.#reload();
    this.onPut();
  }

  async remove(trunkId: string): Promise<void> {
    this.link.require();
    if (!this.#trunks.delete(trunkId)) return;
    this.#probes.forget(trunkId);
    await this.#reload();
  }

  async states(): Promise<ReadonlyMap<string, TrunkState>> {
    this.link.require();
    const answers = new Map((await this.#gateways()).map((gateway) => [gateway.name, hasAnswered(gateway)]));
    const probed = this.#probed();
    return new Map(
      probed.map(({ trunkId }) => [trunkId, this.#probes.stateOf(trunkId, answers.get(gatewayOf(trunkId)) ?? null)]),
    );
  }

  /** Without trunks nothing is reloaded: FreeSWITCH keeps the addresses of the previous process and admits calls. */
  async resume(isRestarted: boolean): Promise<void> {
    if (isRestarted) this.#probes.restart();
    if (this.#trunks.size > 0) await this.#reload();
  }

  /** If no process answers FreeSWITCH's request, it admits no calls by address, so the reload is retried. */
  async #reload(): Promise<void> {
    if ((await this.#reloadOnce()) || this.#isRetrying) return;
    this.log.warn({}, 'no application process answered FreeSWITCH; it admits no calls by address until one does');
    this.#isRetrying = true;
    void this.#retryReload().finally(() => {
      this.#isRetrying = false;
    });
  }

  async #retryReload(): Promise<void> {
    // If the connection breaks, the next connect reloads.
    do await pause(this.clock, RETRY_MS);
    while (this.link.status.status === 'up' && !(await this.#reloadOnce().catch(() => true)));
  }

  /** Reloads the network lists. @returns whether they now come from the application */
  async #reloadOnce(): Promise<boolean> {
    await this.link.api('reloadacl');
    const isAnswered = (await this.link.api(`acl ${ANSWERED_ADDRESS} ${ANSWERED_LIST}`)).trim() === 'true';
    if (isAnswered) await this.#updateGateways();
    return isAnswered;
  }

  /** Removes the gateways that are no longer needed, and adds missing ones. A gateway cannot be changed. */
  async #updateGateways(): Promise<void> {
    const wanted = new Set([
      ...this.#probed().map(({ trunkId }) => gatewayOf(trunkId)),
      // The name changes with everything that the registration depends on.
      ...this.all().flatMap((trunk) => (trunk.registers === true ? lineOf(trunk) : [])),
    ]);
    if (wanted.size === 0 && !this.#hasGateways) return;
    this.#hasGateways = wanted.size > 0;
    const present = new Set((await this.#gateways()).map(({ name }) => name));
    for (const name of this.#leaving) if (!present.has(name)) this.#leaving.delete(name);
    for (const name of present) {
      if (wanted.has(name)) continue;
      await this.#removeGateway(name);
      this.#leaving.add(name);
    }
    // FreeSWITCH then requests all gateways from the application.
    if ([...wanted].some((name) => !present.has(name))) await this.link.api(`sofia profile ${PROFILE} rescan`);
    if ([...wanted].some((name) => this.#leaving.has(name))) void this.#updateLater();
    for (const { trunkId } of this.#probed()) this.#probes.began(trunkId);
  }

  /** If the connection breaks, the next connect updates the gateways. */
  async #updateLater(): Promise<void> {
    await pause(this.clock, RETRY_MS);
    if (this.link.status.status === 'up') await this.#updateGateways().catch(() => undefined);
  }

  async #removeGateway(name: string): Promise<void> {
    try {
      await this.link.api(`sofia profile ${PROFILE} killgw ${name}`);
    } catch (error) {
      // FreeSWITCH still lists a gateway for a moment after its removal.
      if (!(error instanceof EngineError) || error.kind !== 'rejected') throw error;
    }
  }

  #probed(): readonly Trunk[] {
    return this.all().filter(({ isProbed }) => isProbed === true);
  }

  async #gateways(): Promise<readonly Gateway[]> {
    const listed = await this.link.api('sofia xmlstatus gateway');
    return [...listed.matchAll(/<gateway>([\s\S]*?)<\/gateway>/g)].map(([, gateway = '']) => {
      const of = (tag: string): string => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(gateway)?.[1] ?? '';
      return { name: of('name'), isUp: of('status') === 'UP', pingMs: Number(of('pingtime')) };
    });
  }

  get(trunkId: string): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  all(): readonly Trunk[] {
    return [...this.#trunks.values()];
  }
}

/** Null if there is no result: FreeSWITCH calls a gateway up before it has sent the first probe. */
function hasAnswered({ isUp, pingMs }: Gateway): boolean | null {
  return isUp && pingMs === 0 ? null : isUp;
}
