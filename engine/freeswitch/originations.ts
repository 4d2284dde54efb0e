import { EngineError } from '../../core/ports/engine.js';
import { startJob } from './esl/background.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import type { RegisteredLeg } from './leg-registry.js';

interface PendingOriginate {
  readonly leg: RegisteredLeg;
  resolve(): void;
  reject(error: EngineError): void;
}

/**
 * Tracks originates in progress. FreeSWITCH reports the outcome twice: it creates the channel, and it ends the
 * background job. A target that cannot be dialled has no channel, so only the job reports it.
 */
export class Originations {
  readonly #pending = new Map<string, PendingOriginate>();

  constructor(
    private readonly link: EslLink,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Resolves when the channel is created.
   * @throws EngineError `rejected`; `indeterminate` if FreeSWITCH received the command and did not report an outcome
   */
  async begin(leg: RegisteredLeg, command: string): Promise<void> {
    const outcome = new Promise<void>((resolve, reject) => {
      this.#pending.set(leg.legId, { leg, resolve, reject });
    });
    outcome.catch(() => undefined);
    const timer = setTimeout(
      () => this.#settle(leg, new EngineError('indeterminate', 'FreeSWITCH did not report an outcome')),
      this.timeoutMs,
    );
    try {
      // The leg id is also the job id: a leg is originated only once.
      await startJob(this.link, leg.legId, command, 'the originate');
      await outcome;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(leg.legId);
    }
  }

  /** Call this when an event shows that the leg's channel exists. */
  created(leg: RegisteredLeg): void {
    leg.pending = false;
    if (leg.endedHere) {
      leg.pending = true;
      void this.link.api(`uuid_kill ${leg.channelId} ${leg.requestedQ850 ?? ''}`.trim()).catch(() => undefined);
      this.#settle(leg, new EngineError('rejected', 'The leg was hung up before it was dialled'));
      return;
    }
    this.#settle(leg);
  }

  /** Handles BACKGROUND_JOB. Only a failure matters: a success was already reported by the channel. */
  jobEnded(event: EslEvent): void {
    const pending = this.#pending.get(event['Job-UUID'] ?? '');
    const answer = (event._body ?? '').trim();
    if (!pending || !answer.startsWith('-ERR')) return;
    // Without an answer, the timeout or the lost connection settles the originate.
    this.#failed(pending.leg, answer.slice(4).trim()).catch(() => undefined);
  }

  /**
   * The events of a channel that was refused at once come from a thread of its own, possibly after the failed job. They
   * report the cause, so the leg is rejected only if there was no channel.
   */
  async #failed(leg: RegisteredLeg, reason: string): Promise<void> {
    // FreeSWITCH sends queued events between two commands: after the second one, none of a past channel is missing.
    for (let asked = 0; asked < 2 && this.#pending.has(leg.legId); asked += 1) {
      const exists = (await this.link.api(`uuid_exists ${leg.channelId}`)) === 'true';
      if (exists && this.#pending.has(leg.legId)) this.created(leg);
    }
    this.#settle(leg, new EngineError('rejected', `FreeSWITCH could not dial: ${reason}`));
  }

  /** The connection is lost: it is unknown whether the phone rings. Later events will show it. */
  connectionLost(): void {
    for (const { leg } of [...this.#pending.values()]) {
      leg.pending = false;
      this.#settle(leg, new EngineError('indeterminate', 'The connection was lost while FreeSWITCH dialled'));
    }
  }

  #settle(leg: RegisteredLeg, error?: EngineError): void {
    const pending = this.#pending.get(leg.legId);
    if (!pending) return;
    if (error?.kind === 'indeterminate') leg.pending = false;
    if (error) pending.reject(error);
    else pending.resolve();
  }
}
