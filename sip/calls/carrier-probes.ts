import type { TrunkRow } from '../../core/data/rows.js';
import { hostPort } from '../../core/model/host-port.js';
import { within, type Clock } from '../../core/ports/clock.js';
import { trunkStateKey, type SipMemory } from '../../core/ports/sip/memory.js';
import type { HeaderFields, SipTarget } from '../message/request.js';
import type { EdgeDirectory } from './directory.js';

/** A carrier that answers later counts as silent, as for an engine that asks by itself. */
const ANSWERS_WITHIN_MS = 3_000;
/** How many intervals a result is valid for. */
const VALID_FOR = 3;
/** What drachtio-server answers for a carrier that it cannot reach, or that is silent. */
const UNREACHED: ReadonlySet<number> = new Set([408, 503]);

export interface CarrierProbesOptions {
  readonly directory: Pick<EdgeDirectory, 'probed'>;
  readonly memory: Pick<SipMemory, 'write'>;
  /** @returns the status of the final response; null if there is none */
  readonly send: (method: string, target: SipTarget, headers: HeaderFields) => Promise<number | null>;
  readonly everyMs: number;
  /** At least 0 and less than 1: how much of the first interval passes before a trunk is asked. */
  readonly random: () => number;
  readonly clock: Clock;
}

/** Asks carriers with OPTIONS whether they are there (RFC 3261 §11), for all engines, and shares what they answer. */
export class CarrierProbes {
  /** When each trunk is asked next, by its address. */
  #due = new Map<string, number>();

  constructor(private readonly options: CarrierProbesOptions) {}

  /** Asks the carriers whose turn it is. Does not wait for answers. */
  askDue(): void {
    const { directory, clock, everyMs, random } = this.options;
    const nowMs = clock.monotonicMs();
    const due = new Map<string, number>();
    for (const trunk of directory.probed()) {
      const key = `${trunk.id} ${targetOf(trunk)}`;
      const atMs = this.#due.get(key) ?? nowMs + random() * everyMs;
      due.set(key, atMs > nowMs ? atMs : nowMs + everyMs);
      if (atMs <= nowMs) void this.#ask(trunk);
    }
    this.#due = due;
  }

  async #ask(trunk: TrunkRow): Promise<void> {
    const { send, memory, everyMs } = this.options;
    const asked = send('OPTIONS', { uri: targetOf(trunk), path: [] }, {});
    const status = await within(ANSWERS_WITHIN_MS, asked).catch(() => null);
    const state = status === null || UNREACHED.has(status) ? 'down' : 'up';
    await memory.write(trunkStateKey(trunk.id), state, VALID_FOR * everyMs);
  }
}

function targetOf({ host, port, transport }: TrunkRow): string {
  return `sip:${hostPort({ host, port })};transport=${transport}`;
}
