import type {
  CallProgram,
  ProgramFactory,
  ProgramSpec,
  Prompts,
  SavedProgram,
} from '../../core/services/call-state/program.js';
import type { OneTimeCodes } from '../../core/services/codes/one-time-codes.js';
import type { QueueCallBridge } from '../../core/services/live-calls/queues/queue-call-bridge.js';
import type { ChallengeCalls } from '../../core/services/voice-auth/challenge-calls.js';
import type { VoicemailByPhone } from '../../core/services/voicemail/by-phone.js';
import type { VoicemailBoxLookup } from '../../core/services/voicemail/box-lookup.js';
import { AgentCodeProgram, type AgentCodeServices } from './agent-code.js';
import { AGENT_CALLS, ConnectProgram, CUSTOMER_CALLS } from './connect.js';
import type { FlowDeps } from '../flow/deps.js';
import { EchoProgram } from './echo.js';
import { FlowProgram } from './flow.js';
import { IdleProgram } from './idle.js';
import { InstructionsProgram } from './instructions.js';
import { PlayProgram } from './play.js';
import { QueueCallbackProgram } from './queue-callback.js';
import { QueueProgram } from './queue.js';
import { SpeakCodeProgram } from './speak-code.js';
import { TalkProgram } from './talk.js';
import { TurnAwayProgram } from './turn-away.js';
import { VoiceAuthProgram } from './voice-auth.js';
import { VoicemailAccessProgram } from './voicemail-access.js';
import { VoicemailProgram } from './voicemail.js';

/** Dependencies of the queue programs and of the agents' feature codes. */
export interface QueuePrograms {
  readonly callBridge: QueueCallBridge;
  readonly agentCodes: AgentCodeServices;
}

/** Dependencies of the voicemail programs. */
export interface VoicemailPrograms {
  readonly boxLookup: VoicemailBoxLookup;
  readonly byPhone: VoicemailByPhone;
}

/** Dependencies of the programs that speak codes or ask for them. */
export interface CodePrograms {
  readonly codes: Pick<OneTimeCodes, 'make'>;
  readonly voiceAuth: Pick<ChallengeCalls, 'open' | 'complete'>;
}

/** Creates the program that a call's state names. */
export function programFactory(
  prompts: Prompts,
  { callBridge, agentCodes }: QueuePrograms,
  voicemail: VoicemailPrograms,
  { codes, voiceAuth }: CodePrograms,
  flows: FlowDeps,
): ProgramFactory {
  return ({ spec, state }: SavedProgram): CallProgram => {
    switch (spec.type) {
      case 'idle':
        return new IdleProgram();
      case 'play':
        return new PlayProgram(spec.paths, state);
      case 'instructions':
        return new InstructionsProgram(spec, prompts, state);
      case 'connect':
        return new ConnectProgram(spec.to, CUSTOMER_CALLS, state, unanswered(spec.unansweredTo, voicemail.boxLookup));
      case 'dial_out':
        return new ConnectProgram(spec.to, AGENT_CALLS, state);
      case 'talk':
        return new TalkProgram();
      case 'queue':
        return new QueueProgram(spec, callBridge, prompts, state);
      case 'callflow':
        return new FlowProgram(spec, flows, prompts, state);
      case 'queue_callback':
        return new QueueCallbackProgram(spec, callBridge, state);
      case 'agent_code':
        return new AgentCodeProgram(spec, agentCodes, prompts);
      case 'turn_away':
        return new TurnAwayProgram({ ...spec, prompts, languages: agentCodes.languages });
      case 'voice_auth':
        return new VoiceAuthProgram(spec, voiceAuth, prompts, state);
      case 'speak_code':
        return new SpeakCodeProgram(spec, codes, prompts, state);
      case 'voicemail':
        return new VoicemailProgram(spec.numberId, voicemail.boxLookup, prompts, state);
      case 'voicemail_access':
        return new VoicemailAccessProgram(spec.agent, voicemail.byPhone, prompts, state);
      case 'echo':
        return new EchoProgram(prompts, state);
    }
  };
}

/** The fallback for an unanswered call: voicemail if the number's box is open, otherwise null. */
function unanswered(numberId: string | undefined, boxLookup: VoicemailBoxLookup): () => Promise<ProgramSpec | null> {
  return async () =>
    numberId !== undefined && (await boxLookup.open(numberId)) !== null ? { type: 'voicemail', numberId } : null;
}
