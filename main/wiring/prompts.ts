import type { Prompts } from '../../core/services/call-state/program.js';
import type { Logger } from '../../core/ports/logger.js';
import { SpeechError, type Speech } from '../../core/ports/speech.js';

/** Prompts spoken by the platform's voice. A voice that fails leaves a prompt out; the call goes on. */
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
