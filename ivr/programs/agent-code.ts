import { HatifError } from '../../core/model/errors/index.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { ForwardingByPhone, ForwardingFeature } from '../../core/services/agents/forwarding-by-phone.js';
import type { BlockingByPhone } from '../../core/services/blocked-callers/by-phone.js';
import type { CallControl, CallProgram, ProgramSpec, Prompts } from '../../core/services/call-state/program.js';
import type { QueueAgentResult, SignIn } from '../../core/services/queues/sign-in.js';
import { bilingualItems, type BilingualPrompt } from '../dialogue/bilingual.js';
import { NORMAL } from '../dialogue/endings.js';
import { cancelledText, CODE_TEXTS, forwardedText } from './agent-code-texts.js';

type Code = Extract<ProgramSpec, { type: 'agent_code' }>;
type Result = keyof typeof CODE_TEXTS | 'forwarded' | 'forward_cancelled';

/** What was done, for the timeline, and what the agent hears. */
interface Done {
  readonly result: Result;
  readonly text: BilingualPrompt;
}

/** What the codes work on. */
export interface AgentCodeServices {
  readonly signIn: Pick<SignIn, 'togglePause' | 'byDialCode'>;
  readonly blocking: Pick<BlockingByPhone, 'blockLast' | 'rejectAnonymous'>;
  readonly forwarding: Pick<ForwardingByPhone, 'change'>;
  /** The languages in which the project speaks to agents, and to callers who are turned away. */
  readonly languages: (projectId: string) => Promise<readonly SpeechLanguage[]>;
}

/** An agent's softphone dialled a code: carries it out, confirms it to the agent and ends the call. */
export class AgentCodeProgram implements CallProgram {
  #playbackId: string | null = null;

  constructor(
    private readonly code: Code,
    private readonly services: AgentCodeServices,
    private readonly prompts: Prompts,
  ) {}

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (customer?.status === 'answered') await this.#run(call, customer.legId);
    else if (customer) await call.answer(customer.legId);
  }

  /** The code may already have been carried out, and toggling a pause again would undo it. */
  async resume(call: CallControl): Promise<void> {
    await call.end(NORMAL);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type === 'leg.answered') await this.#run(call, event.legId);
    else if (event.type === 'play.finished' && event.playbackId === this.#playbackId) await call.end(NORMAL);
  }

  async #run(call: CallControl, legId: string): Promise<void> {
    const { projectId } = call.queue;
    const { result, text } = await this.#execute(projectId);
    call.note(`agent_code.${result}`);
    const items = await bilingualItems(this.prompts, text, await this.services.languages(projectId));
    if (items.length === 0) await call.end(NORMAL);
    else this.#playbackId = await call.play(legId, items);
  }

  async #execute(projectId: string): Promise<Done> {
    const { agent, feature } = this.code;
    const { signIn, blocking } = this.services;
    try {
      switch (feature.does) {
        case 'unknown':
          return done('unknown');
        case 'block_caller':
          return done(await blocking.blockLast(projectId, agent, 'project'));
        case 'block_own_caller': {
          const result = await blocking.blockLast(projectId, agent, 'agent');
          return done(result === 'blocked' ? 'blocked_for_agent' : result);
        }
        case 'reject_anonymous':
          if (!(await blocking.rejectAnonymous(projectId, agent, feature.on))) return done('failed');
          return done(feature.on ? 'anonymous_rejected' : 'anonymous_accepted');
        case 'pause':
          return done(resultOf(await signIn.togglePause(projectId, agent)));
        case 'log_in':
        case 'log_out': {
          const to = feature.does === 'log_in' ? 'logged_in' : 'logged_out';
          return done((await signIn.byDialCode(projectId, agent, feature.dialCode, to)) ? to : 'no_queue');
        }
        default:
          return await this.#forward(projectId, feature);
      }
    } catch (error) {
      if (error instanceof HatifError) return done('failed');
      throw error;
    }
  }

  async #forward(projectId: string, feature: ForwardingFeature): Promise<Done> {
    const changed = await this.services.forwarding.change(projectId, this.code.agent, feature);
    if (changed.outcome !== 'changed') return done(changed.outcome);
    switch (feature.does) {
      case 'do_not_disturb':
        return done(feature.on ? 'do_not_disturb' : 'disturb');
      case 'cancel_forwards':
        return done('forwards_cancelled');
      case 'cancel_forward':
        return { result: 'forward_cancelled', text: cancelledText(feature.case) };
      case 'forward':
        return changed.to
          ? { result: 'forwarded', text: forwardedText(feature.case, changed.to) }
          : { result: 'forward_cancelled', text: cancelledText(feature.case) };
    }
  }
}

function done(result: keyof typeof CODE_TEXTS): Done {
  return { result, text: CODE_TEXTS[result] };
}

function resultOf({ status }: QueueAgentResult): 'paused' | 'unpaused' {
  return status === 'paused' ? 'paused' : 'unpaused';
}
