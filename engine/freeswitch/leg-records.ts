import type { Clock, Timer } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { rotate } from '../common/log-lines.js';
import type { EslLink } from './esl/esl-link.js';

const CHECK_EVERY_MS = 60_000;
/** Either writes the ends of legs. */
const MODULES = ['mod_cdr_csv', 'mod_json_cdr'];

/** Keeps the file of ended legs (mod_cdr_csv) small. */
export class LegRecords {
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(
    private readonly link: EslLink,
    private readonly file: string,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#isStopped = false;
    this.#timer = this.clock.after(CHECK_EVERY_MS, () => {
      this.#rotate()
        .catch((err: unknown) => this.log.warn({ err, file: this.file }, 'the file of ended legs could not be rotated'))
        .finally(() => (this.#isStopped ? undefined : this.start()));
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Logs a warning if FreeSWITCH records no ends: after an outage their times and causes would be estimates. */
  async check(): Promise<void> {
    for (const module of MODULES) if ((await this.link.api(`module_exists ${module}`)).trim() === 'true') return;
    this.log.warn({ modules: MODULES }, 'FreeSWITCH has neither module and does not record the ends of legs');
  }

  /** FreeSWITCH continues to write to the renamed file until it opens the new one, so no line is lost. */
  async #rotate(): Promise<void> {
    if (this.link.status.status !== 'up') return;
    if (await rotate(this.file)) await this.link.api('cdr_csv rotate');
  }
}
