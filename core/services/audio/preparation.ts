import type { Clock } from '../../ports/clock.js';
import { MediaError } from '../../ports/media-store.js';
import { SpeechError, type Speech, type SpeechLanguage } from '../../ports/speech.js';

/**
 * Preparing the audio of one request takes at most this long. Half the time after which a request without an answer
 * counts as dead: whatever happens to its renewals, its effect comes before a retry can run.
 */
export const PREPARATION_MAX_MS = 60_000;

/** Limits the time in which a request prepares its audio, whatever number of files it needs. */
class Preparation {
  readonly #endsAtMs: number;

  /** @param late makes the error of work that does not end in time */
  constructor(
    private readonly clock: Clock,
    private readonly late: () => Error,
  ) {
    this.#endsAtMs = clock.monotonicMs() + PREPARATION_MAX_MS;
  }

  /** Waits for the work, which continues if it is late: its result is then not used. @throws the error of `late` */
  run<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(this.#endsAtMs - this.clock.monotonicMs(), () => reject(this.late()));
      void work.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

/** Waits for the media store. @throws MediaError `unavailable` if it is late */
export function storedInTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  return new Preparation(clock, () => new MediaError('unavailable', 'the audio was not ready in time')).run(work);
}

/**
 * Synthesizes every text ahead of a call, so that the callee hears no gaps.
 * @returns the paths
 * @throws SpeechError, also if it is late
 */
export async function speakAhead(
  speech: Speech,
  clock: Clock,
  texts: Iterable<string>,
  language: SpeechLanguage,
): Promise<string[]> {
  const preparation = new Preparation(clock, () => new SpeechError('the texts were not spoken in time'));
  const paths: string[] = [];
  for (const text of texts) paths.push(await preparation.run(speech.synthesize(text, language)));
  return paths;
}
