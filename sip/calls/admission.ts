import type { EngineKind } from '../../core/model/engine-kinds.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import type { EngineTarget } from './directory.js';

/** Engines take bursts of this length, so the rate is kept within each such time. */
const WINDOW_MS = 250;
const KEPT_MS = 1_000;

export interface AdmissionOptions {
  readonly memory: Pick<SipMemory, 'count'>;
  /** New calls per second that an engine takes. */
  readonly ratePerSecond: (kind: EngineKind) => number;
  readonly now: () => Date;
}

/** Refuses calls that an engine would refuse, so that they cost the engine nothing. All processes of the edge count together. */
export class Admission {
  /** The window in which an engine has got all that it takes, by its id. */
  readonly #fullIn = new Map<string, number>();

  constructor(private readonly options: AdmissionOptions) {}

  /** Whether the engine may get one more call; it then counts. */
  async admits({ id, kind, isFull }: EngineTarget): Promise<boolean> {
    if (isFull) return false;
    const { memory, ratePerSecond, now } = this.options;
    const window = Math.floor(now().getTime() / WINDOW_MS);
    const most = Math.max(1, Math.ceil((ratePerSecond(kind) * WINDOW_MS) / 1000));
    // A refusal must cost little: no other call fits into a window that is full, so it is not counted.
    if (this.#fullIn.get(id) === window) return false;
    const count = await memory.count(`calls:${id}:${window}`, KEPT_MS);
    if (count >= most) this.#fullIn.set(id, window);
    return count <= most;
  }
}
