import type { HostPort } from '../../model/host-port.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { SipProbe } from '../../ports/sip-probe.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface SipHealthOptions {
  /** Null if the engine's SIP address is unknown; then it is not probed. */
  readonly address: HostPort | null;
  readonly probe: SipProbe;
  /**
   * Whether the engine is connected. A disconnected engine gets no calls anyway, and may not be able to authorize the
   * probe.
   */
  readonly isConnected: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

const PROBE_INTERVAL_MS = 500;
const PROBE_TIMEOUT_MS = 1_000;
/** In a row: after a moment in which this process was busy, one probe may be unanswered. */
const UNANSWERED_PROBES = 2;
/**
 * As long as two unanswered probes take. Together with the time to publish the status this stays below the five seconds
 * within which new calls must avoid the engine.
 */
const DOWN_AFTER_MS = 2_500;

/** Probes whether an engine answers SIP: an engine that obeys commands can still have a dead SIP stack. */
export class SipHealth {
  #status: 'up' | 'down' | null = null;
  #answeredAtMs = 0;
  #unanswered = 0;
  #work: PeriodicWork | null = null;

  constructor(private readonly options: SipHealthOptions) {}

  /** Null before the first result, and if the engine is not probed. */
  get status(): 'up' | 'down' | null {
    return this.#status;
  }

  /** @param known the status found by the previous owner */
  start(known: 'up' | 'down' | null): void {
    const { address, clock, log } = this.options;
    if (!address) return;
    this.#status = known;
    this.#answeredAtMs = clock.monotonicMs();
    const onFailure = (err: unknown): void => log.warn({ err }, 'SIP health check failed');
    this.#work = new PeriodicWork({ work: () => this.#check(address), everyMs: PROBE_INTERVAL_MS, clock, onFailure });
    this.#work.startNow();
  }

  stop(): void {
    void this.#work?.stop();
  }

  async #check({ host, port }: HostPort): Promise<void> {
    const { isConnected, probe, clock } = this.options;
    const answered = isConnected() && (await probe.probe(host, port, PROBE_TIMEOUT_MS));
    if (this.#work?.isStopped === true) return;
    const nowMs = clock.monotonicMs();
    if (answered || !isConnected()) {
      this.#answeredAtMs = nowMs;
      this.#unanswered = 0;
    } else {
      this.#unanswered += 1;
    }
    if (answered) this.#setStatus('up');
    else if (this.#unanswered >= UNANSWERED_PROBES && nowMs - this.#answeredAtMs >= DOWN_AFTER_MS) {
      this.#setStatus('down');
    }
  }

  #setStatus(status: 'up' | 'down'): void {
    if (this.#status === status) return;
    const { log, address } = this.options;
    if (status === 'down') log.error({ ...address }, 'the engine does not answer SIP; it receives no new calls');
    else if (this.#status === 'down') log.info({ ...address }, 'the engine answers SIP again');
    this.#status = status;
    this.options.onChange();
  }
}
