import type { Prompts } from '../../../core/services/call-state/program.js';
import type { Logger } from '../../../core/ports/logger.js';
import { SpeechError, type Speech } from '../../../core/ports/speech.js';

/** Prompts by text-to-speech. If it fails, the call continues without the prompt. */
export function spokenPrompts(speech: Speech, log: Logger): Prompts {
  return {
    async say(text, language) {
      try {
        return { type: 'file', path: await speech.synthesize(text, language) };
      } catch (error) {
        if (!(error instanceof SpeechError)) throw error;
        log.warn({ err: error, language }, 'a prompt could not be spoken');
        return null;
      }
    },
  };
}
