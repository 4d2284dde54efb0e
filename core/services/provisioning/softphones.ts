import type { AgentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { pause, within, type Clock } from '../../ports/clock.js';
import { CommandTimeout, type CommandBus, type SoftphoneCommand } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';

interface NamedEngine {
  readonly id: string;
  readonly name: string;
}

/** A softphone as an engine gets it; its password is sealed. */
export type PushedSoftphone = Omit<SoftphoneCommand, 'type'>;

export interface EngineSoftphonesOptions {
  /** The engines that carry telephone calls. */
  readonly engines: () => Promise<readonly NamedEngine[]>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
  readonly log: Logger;
}

type Answer = 'accepted' | 'refused' | 'away';

/** How long to wait until one engine accepts a softphone. */
const LIMIT_MS = 10_000;
const RETRY_MS = 500;

/** Asks the engines whether they accept a softphone before its agent is stored. */
export class EngineSoftphones {
  constructor(private readonly options: EngineSoftphonesOptions) {}

  /**
   * Pushes the softphone to every engine. One that is away gets it later, from the tables, if at least one accepts it.
   * Engines remove it again if the agent is not stored.
   * @throws HatifError PBX_PROVISIONING_FAILED if an engine refuses it, or none accepts it within ten seconds
   */
  async assertAccepted({ aor, display_name, sip_password }: AgentRow): Promise<void> {
    if (await this.accept({ aor, displayName: display_name, password: sip_password })) return;
    throw new HatifError('PBX_PROVISIONING_FAILED');
  }

  /**
   * The same for any softphone.
   * @param withinMs after this time, no engine is asked any more; the answer of one may take five seconds
   * @returns false if an engine refuses it, or none accepts it in time
   */
  async accept(softphone: PushedSoftphone, withinMs = LIMIT_MS): Promise<boolean> {
    const { engines, clock } = this.options;
    const command = commandOf(softphone);
    const asked = await engines();
    const untilMs = clock.monotonicMs() + withinMs;
    while (asked.length > 0) {
      const answers = await Promise.all(asked.map((engine) => this.#ask(engine, command)));
      if (answers.includes('refused')) break;
      if (answers.includes('accepted')) return true;
      if (clock.monotonicMs() >= untilMs) break;
      await pause(clock, RETRY_MS);
    }
    return false;
  }

  /**
   * Pushes the softphone to this engine unless it has it.
   * @returns whether the engine has it; false also if nobody says so in time
   */
  async acceptAt(engine: NamedEngine, softphone: PushedSoftphone, withinMs: number): Promise<boolean> {
    try {
      return (await within(withinMs, this.#ask(engine, commandOf(softphone)))) === 'accepted';
    } catch (error) {
      const fields = { err: error, engine: engine.name, aor: softphone.aor };
      this.options.log.warn(fields, 'an engine did not say whether it has a softphone');
      return false;
    }
  }

  async #ask({ id, name }: NamedEngine, command: SoftphoneCommand): Promise<Answer> {
    const { bus, log } = this.options;
    try {
      const outcome = await bus.send(id, command);
      if (outcome.result === 'done') return 'accepted';
      if (outcome.result !== 'engine_refused') return 'away';
      const { kind, message } = outcome;
      log.error({ engine: name, aor: command.aor, kind, message }, 'the engine refused a new softphone');
      return 'refused';
    } catch (error) {
      if (error instanceof CommandTimeout) return 'away';
      throw error;
    }
  }
}

function commandOf(softphone: PushedSoftphone): SoftphoneCommand {
  return { type: 'accept_softphone', ...softphone };
}
