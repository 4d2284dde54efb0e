import { EngineError } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import type { RegisteredLeg } from './leg-registry.js';

interface Open {
  readonly leg: RegisteredLeg;
  resolve(): void;
  reject(error: EngineError): void;
}

/**
 * Originates on their way. FreeSWITCH tells twice of what becomes of one: the channel comes to be, and the job in the background ends. A target that
 * cannot be dialled makes no channel, and only the job tells.
 */
export class Originations {
  readonly #open = new Map<string, Open>();

  constructor(
    private readonly link: EslLink,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Resolves when the channel came to be.
   * @throws EngineError `rejected`; `indeterminate` when FreeSWITCH was asked and said nothing.
   */
  async begin(leg: RegisteredLeg, command: string): Promise<void> {
    const outcome = new Promise<void>((resolve, reject) => {
      this.#open.set(leg.legId, { leg, resolve, reject });
    });
    outcome.catch(() => undefined);
    const timer = setTimeout(
      () => this.#settle(leg, new EngineError('indeterminate', 'FreeSWITCH did not say')),
      this.timeoutMs,
    );
    try {
      // The leg's id is the job's as well: one leg is originated once.
      await this.link.background(leg.legId, command).catch((error: unknown) => {
        throw error instanceof EngineError && error.kind !== 'rejected' && !isUnsent(error)
          ? new EngineError('indeterminate', `The answer to the originate was lost: ${error.message}`, { cause: error })
          : error;
      });
      await outcome;
    } finally {
      clearTimeout(timer);
      this.#open.delete(leg.legId);
    }
  }

  /** Its channel came to be. */
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

  /** The job ended (BACKGROUND_JOB); a job that succeeded, or whose channel came to be, has told already. */
  jobEnded(event: EslEvent): void {
    const open = this.#open.get(event['Job-UUID'] ?? '');
    const answer = (event._body ?? '').trim();
    if (!open || !answer.startsWith('-ERR')) return;
    this.#settle(open.leg, new EngineError('rejected', `FreeSWITCH could not dial: ${answer.slice(4).trim()}`));
  }

  /** The connection is gone: whether a phone rings is not known, and events will tell. */
  connectionLost(): void {
    for (const { leg } of [...this.#open.values()]) {
      leg.pending = false;
      this.#settle(leg, new EngineError('indeterminate', 'The connection was lost while FreeSWITCH dialled'));
    }
  }

  #settle(leg: RegisteredLeg, error?: EngineError): void {
    const open = this.#open.get(leg.legId);
    if (!open) return;
    if (error?.kind === 'indeterminate') leg.pending = false;
    if (error) open.reject(error);
    else open.resolve();
  }
}

/** Nothing was sent. */
function isUnsent(error: EngineError): boolean {
  return error.kind === 'unreachable' && error.message.includes('not connected');
}
