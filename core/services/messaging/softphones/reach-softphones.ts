import type { SoftphonePlace } from '../../../data/repositories/engines/registrations.js';
import { newId } from '../../../model/ids.js';
import type { SoftphoneText } from '../../../model/messaging/softphone-text.js';
import { CommandTimeout, SIP_EDGE_COMMANDS, type CommandBus, type CommandOutcome } from '../../../ports/command-bus.js';
import type { SoftphoneTexts, TextOutcome } from '../../../ports/messaging/softphone-texts.js';

export interface ReachSoftphonesOptions {
  readonly bus: Pick<CommandBus, 'send'>;
  /** Whether phones are registered at the SIP edge, which sends them texts by itself. */
  readonly hasEdge: boolean;
  /** The engines at which a softphone is registered. */
  readonly placesOf: (aor: string) => Promise<readonly SoftphonePlace[]>;
}

/** A phone has 32 s for its answer (RFC 3261, timer F), and FreeSWITCH waits for 20. */
const DEADLINE_MS = 40_000;

/** Sends texts to softphones by the process that can: the owner of the engine where it is registered, or the SIP edge. */
export class ReachSoftphones implements SoftphoneTexts {
  constructor(private readonly options: ReachSoftphonesOptions) {}

  /** @throws DatabaseUnavailable: nothing was sent */
  async send(text: SoftphoneText): Promise<TextOutcome> {
    const server = this.options.hasEdge ? SIP_EDGE_COMMANDS : await this.#engineOf(text.aor);
    if (server === null) return { result: 'not_registered' };
    try {
      const command = { type: 'send_text', attemptId: newId(), ...text } as const;
      return outcomeOf(await this.options.bus.send(server, command, DEADLINE_MS));
    } catch (error) {
      // Any other fault may have come after the text was on its way.
      const isUnsent = error instanceof CommandTimeout && !error.wasReceived;
      return { result: isUnsent ? 'away' : 'unknown' };
    }
  }

  async #engineOf(aor: string): Promise<string | null> {
    const places = await this.options.placesOf(aor);
    return (places.find(({ dialable }) => dialable) ?? places[0])?.engine_id ?? null;
  }
}

function outcomeOf(outcome: CommandOutcome): TextOutcome {
  switch (outcome.result) {
    case 'text':
      return outcome.text;
    case 'not_controllable':
      return { result: 'away' };
    case 'engine_refused': {
      const isRefused = outcome.kind === 'rejected' || outcome.kind === 'unsupported' || outcome.kind === 'no_such_leg';
      return isRefused ? { result: 'refused', status: null } : { result: 'unknown' };
    }
    default:
      return { result: 'unknown' };
  }
}
