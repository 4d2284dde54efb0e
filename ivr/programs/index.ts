import type { CallProgram, ProgramFactory, Prompts, SavedProgram } from '../../core/services/calls/program.js';
import { AGENT_CALLS, ConnectProgram, CUSTOMER_CALLS } from './connect.js';
import { EchoProgram } from './echo.js';
import { IdleProgram } from './idle.js';
import { PlayProgram } from './play.js';
import { TalkProgram } from './talk.js';

/** Builds the program that a call's record names. */
export function programFactory(prompts: Prompts): ProgramFactory {
  return ({ spec, state }: SavedProgram): CallProgram => {
    switch (spec.type) {
      case 'idle':
        return new IdleProgram();
      case 'play':
        return new PlayProgram(spec.paths, state);
      case 'connect':
        return new ConnectProgram(spec.to, CUSTOMER_CALLS, state);
      case 'dial_out':
        return new ConnectProgram(spec.to, AGENT_CALLS, state);
      case 'talk':
        return new TalkProgram();
      case 'echo':
        return new EchoProgram(prompts, state);
    }
  };
}
