import { expect } from 'chai';
import type { CallControl, LegView } from '../../../core/services/call-state/program.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import { Gather, type Answer, type Question } from '../../../ivr/dialogue/gather.js';

const QUESTION: Question = {
  prompt: [{ type: 'file', path: '/prompts/question' }],
  maxDigits: 4,
  terminator: '#',
  firstDigitMs: 5_000,
  nextDigitMs: 2_000,
  bargeIn: true,
};

/** A caller with one playback and one timer. */
class Caller {
  readonly stopped: string[] = [];
  readonly answers: Answer[] = [];
  playing: string | null = null;
  timerMs: number | null = null;
  readonly #gather: Gather;

  constructor(question: Partial<Question> = {}) {
    this.#gather = new Gather({ ...QUESTION, ...question }, (_, answer) =>
      Promise.resolve(void this.answers.push(answer)),
    );
  }

  readonly #call = {
    leg: (): LegView => ({
      legId: 'customer',
      role: 'customer',
      status: 'answered',
      hasRung: true,
      wasAnswered: true,
      hangupQ850: null,
    }),
    play: () => Promise.resolve((this.playing = 'prompt')),
    stopPlay: (playbackId: string) => Promise.resolve(void this.stopped.push(playbackId)),
    startTimer: (delayMs: number) => (this.timerMs = delayMs),
    cancelTimer: () => (this.timerMs = null),
    note: () => undefined,
  } as unknown as CallControl;

  async ask(): Promise<this> {
    await this.#gather.start(this.#call);
    return this;
  }

  async press(digits: string): Promise<void> {
    for (const digit of digits) await this.#receive({ type: 'leg.dtmf', digit, durationMs: 100 });
  }

  promptEnds(outcome: 'completed' | 'failed' = 'completed'): Promise<boolean> {
    return this.#receive({ type: 'play.finished', playbackId: 'prompt', outcome });
  }

  timePasses(): Promise<boolean> {
    this.timerMs = null;
    return this.#gather.onSignal(this.#call, { type: 'later', key: 'gather' });
  }

  cancel(): Promise<void> {
    return this.#gather.cancel(this.#call);
  }

  #receive(event: object): Promise<boolean> {
    return this.#gather.onLegEvent(this.#call, { ...event, legId: 'customer', at: new Date(0) } as unknown as LegEvent);
  }
}

describe('Asking a caller for digits', () => {
  it('completes the answer at the last digit and stops the prompt at the first', async () => {
    const caller = await new Caller().ask();
    await caller.press('12345');
    expect(caller.answers).to.deep.equal([{ digits: '1234', by: 'length' }]);
    expect(caller.stopped).to.deep.equal(['prompt']);
    expect(caller.timerMs).to.equal(null);
  });

  it('completes the answer at the terminator, which is not part of it', async () => {
    const caller = await new Caller().ask();
    await caller.press('12#');
    expect(caller.answers).to.deep.equal([{ digits: '12', by: 'terminator' }]);
  });

  it('treats # as a digit if there is no terminator', async () => {
    const caller = await new Caller({ terminator: null, maxDigits: 2 }).ask();
    await caller.press('1#');
    expect(caller.answers).to.deep.equal([{ digits: '1#', by: 'length' }]);
  });

  for (const outcome of ['completed', 'failed'] as const) {
    it(`waits for the first digit after a ${outcome} prompt and reports none as silence`, async () => {
      const caller = await new Caller().ask();
      expect(caller.timerMs).to.equal(null);
      await caller.promptEnds(outcome);
      expect(caller.timerMs).to.equal(5_000);
      await caller.timePasses();
      expect(caller.answers).to.deep.equal([{ digits: '', by: 'silence' }]);
    });
  }

  it('waits for each further digit and accepts an incomplete answer', async () => {
    const caller = await new Caller().ask();
    await caller.press('12');
    expect(caller.timerMs).to.equal(2_000);
    await caller.timePasses();
    expect(caller.answers).to.deep.equal([{ digits: '12', by: 'timeout' }]);
  });

  it('ignores digits during a prompt without barge-in', async () => {
    const caller = await new Caller({ bargeIn: false }).ask();
    await caller.press('1');
    expect(caller.stopped).to.deep.equal([]);
    await caller.promptEnds();
    await caller.press('2#');
    expect(caller.answers).to.deep.equal([{ digits: '2', by: 'terminator' }]);
  });

  it('starts to wait at once if there is no prompt', async () => {
    const caller = await new Caller({ prompt: [] }).ask();
    expect(caller.playing).to.equal(null);
    expect(caller.timerMs).to.equal(5_000);
  });

  it('accepts nothing after it is cancelled', async () => {
    const caller = await new Caller().ask();
    await caller.cancel();
    await caller.press('1234');
    expect(await caller.timePasses()).to.equal(false);
    expect(caller.answers).to.deep.equal([]);
    expect(caller.stopped).to.deep.equal(['prompt']);
  });
});
