import type { HostPort } from '../../model/host-port.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { SipProbe } from '../../ports/sip-probe.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface SipHealthOptions {
  /** Null where it is not known at which address the engine takes SIP: then nobody looks. */
  readonly address: HostPort | null;
  readonly probe: SipProbe;
  /** Whether the engine is connected. While it is not it gets no calls anyway, and may not know who asks. */
  readonly isConnected: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

const ASK_EVERY_MS = 500;
const PATIENCE_MS = 1_000;
/** Two questions in a row are not answered: together with the telling of it less than the five seconds in which no call may go there any more. */
const SILENT_MS = 2_500;

/** Whether an engine answers SIP: a process that obeys its commands can have a SIP stack that is dead. */
export class SipHealth {
  #status: 'up' | 'down' | null = null;
  #answeredAtMs = 0;
  #work: PeriodicWork | null = null;

  constructor(private readonly options: SipHealthOptions) {}

  /** Null before the first answer or silence, and where nobody looks. */
  get status(): 'up' | 'down' | null {
    return this.#status;
  }

  /** @param known what the owner before has found */
  start(known: 'up' | 'down' | null): void {
    const { address, clock, log } = this.options;
    if (!address) return;
    this.#status = known;
    this.#answeredAtMs = clock.monotonicMs();
    const onFailure = (err: unknown): void => log.warn({ err }, 'looking after SIP failed');
    this.#work = new PeriodicWork({ work: () => this.#look(address), everyMs: ASK_EVERY_MS, clock, onFailure });
    this.#work.startNow();
  }

  stop(): void {
    void this.#work?.stop();
  }

  async #look({ host, port }: HostPort): Promise<void> {
    const { isConnected, probe, clock } = this.options;
    const answered = isConnected() && (await probe.probe(host, port, PATIENCE_MS));
    if (this.#work?.isStopped === true) return;
    const nowMs = clock.monotonicMs();
    if (answered || !isConnected()) this.#answeredAtMs = nowMs;
    if (answered) this.#become('up');
    else if (nowMs - this.#answeredAtMs >= SILENT_MS) this.#become('down');
  }

  #become(status: 'up' | 'down'): void {
    if (this.#status === status) return;
    const { log, address } = this.options;
    if (status === 'down') log.error({ ...address }, 'the engine does not answer SIP; it gets no new calls');
    else if (this.#status === 'down') log.info({ ...address }, 'the engine answers SIP again');
    this.#status = status;
    this.options.onChange();
  }
}
