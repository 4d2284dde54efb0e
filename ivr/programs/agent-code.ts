import { HatifError } from '../../core/model/errors/index.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { BlockLastCaller } from '../../core/services/blocked-callers/last-caller.js';
import type { CallControl, CallProgram, ProgramSpec, Prompts } from '../../core/services/call-state/program.js';
import type { QueueAgentResult, SignIn } from '../../core/services/queues/sign-in.js';
import { NORMAL } from '../dialogue/endings.js';

type Code = Extract<ProgramSpec, { type: 'agent_code' }>;
type Result = 'logged_in' | 'logged_out' | 'paused' | 'unpaused' | 'no_queue' | 'blocked' | 'no_caller' | 'failed';

const TEXTS: Readonly<Record<Result, Readonly<Record<SpeechLanguage, string>>>> = {
  logged_in: { ar: 'تم تسجيل دخولك.', en: 'You are signed in.' },
  logged_out: { ar: 'تم تسجيل خروجك.', en: 'You are signed out.' },
  paused: { ar: 'تم إيقاف استقبالك للمكالمات مؤقتًا.', en: 'You are paused.' },
  unpaused: { ar: 'عدت إلى استقبال المكالمات.', en: 'Your pause is over.' },
  no_queue: { ar: 'لا توجد قائمة انتظار بهذا الرمز.', en: 'No queue has this code.' },
  blocked: { ar: 'تم حظر آخر متصل.', en: 'The last caller is blocked.' },
  no_caller: { ar: 'لا يوجد متصل يمكن حظره.', en: 'There is no caller to block.' },
  failed: { ar: 'تعذّر تنفيذ طلبك الآن. نرجو المحاولة لاحقًا.', en: 'This is not possible now. Try again later.' },
};

/** An agent's softphone dialled a code: carries it out, confirms it to the agent and ends the call. */
export class AgentCodeProgram implements CallProgram {
  #playbackId: string | null = null;

  constructor(
    private readonly code: Code,
    private readonly signIn: SignIn,
    private readonly lastCaller: Pick<BlockLastCaller, 'block'>,
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
    const result = await this.#execute(call.queue.projectId);
    call.note(`agent_code.${result}`);
    const items = (
      await Promise.all([this.prompts.say(TEXTS[result].ar, 'ar'), this.prompts.say(TEXTS[result].en, 'en')])
    ).filter((item) => item !== null);
    if (items.length === 0) await call.end(NORMAL);
    else this.#playbackId = await call.play(legId, items);
  }

  async #execute(projectId: string): Promise<Result> {
    const { does, agent, dialCode } = this.code;
    try {
      if (does === 'block_caller') return await this.lastCaller.block(projectId, agent);
      if (dialCode === null) return resultOf(await this.signIn.togglePause(projectId, agent));
      const to = does === 'log_in' ? 'logged_in' : 'logged_out';
      const agentResult = await this.signIn.byDialCode(projectId, agent, dialCode, to);
      return agentResult ? to : 'no_queue';
    } catch (error) {
      if (error instanceof HatifError) return 'failed';
      throw error;
    }
  }
}

function resultOf({ status }: QueueAgentResult): Result {
  return status === 'paused' ? 'paused' : 'unpaused';
}
