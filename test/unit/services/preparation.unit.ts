import { expect } from 'chai';
import { NoSpeech } from '../../../adapters/speech/index.js';
import type { AudioMediaStore } from '../../../adapters/media/index.js';
import { HatifError } from '../../../core/model/errors/index.js';
import type { Speech } from '../../../core/ports/speech.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { PREPARATION_MAX_MS, speakAhead } from '../../../core/services/audio/preparation.js';
import { PrepareAudio } from '../../../core/services/calls/prepare-audio.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { failureOf } from '../../support/judges/failure-of.js';

/** An idempotency key of a request that is not renewed is taken over after this time. */
const ABANDONED_MS = 120_000;
const ID = '01900000-0000-7000-8000-000000000001';

describe('Preparation of audio', () => {
  it('ends before a retry of the request can run', () => {
    expect(PREPARATION_MAX_MS).to.be.lessThan(ABANDONED_MS);
  });

  it('limits the texts of a call together, and starts none after the limit', async () => {
    const clock = new VirtualClock();
    const begun: string[] = [];
    const slow: Speech = {
      languages: new Set(['en']),
      synthesize: (text) =>
        new Promise((resolve) => {
          begun.push(text);
          clock.after(PREPARATION_MAX_MS * 0.4, () => resolve(`/${text}`));
        }),
    };
    const failure = failureOf(speakAhead(slow, clock, ['one', 'two', 'three', 'four'], 'en'));
    await clock.advance(PREPARATION_MAX_MS);
    expect(await failure).to.be.instanceOf(SpeechError);
    await clock.advance(PREPARATION_MAX_MS);
    expect(begun).to.deep.equal(['one', 'two', 'three']);
    const spoken = speakAhead(slow, clock, ['one', 'two'], 'en');
    await clock.advance(PREPARATION_MAX_MS);
    expect(await spoken).to.deep.equal(['/one', '/two']);
  });

  it('refuses a play whose audio is not there in time', async () => {
    const clock = new VirtualClock();
    const media = { fetch: () => new Promise(() => undefined) } as unknown as AudioMediaStore;
    const audio = new PrepareAudio({ media, speech: new NoSpeech(), clock, hasAudio: () => Promise.resolve(false) });
    const failure = failureOf(
      audio.prepare({ url: 'https://audio.example/slow.wav' }, { projectId: ID, sandbox: false }),
    );
    await clock.advance(PREPARATION_MAX_MS);
    const error = await failure;
    expect(error).to.be.instanceOf(HatifError);
    expect((error as HatifError).code).to.equal('CALL_FAILED');
  });
});
