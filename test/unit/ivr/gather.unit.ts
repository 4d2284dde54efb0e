import { expect } from 'chai';
import type { CallControl, LegView } from '../../../core/services/call-state/program.js';
import type { LegEvent } from '../../../core/ports/engine.js';
import { Gather, type Answer, type Question } from '../../../ivr/dialogue/gather.js';

const QUESTION: Question = {
  prompt: [{ type: 'file', path: '/prompts/question' }],
  maxDigits: 4,
  terminator: '#',
  firstDigitMs: 5_000,
  nextDigitMs: 2_000,
  bargeIn: true,
};

/** A caller who can be asked: what is played to them, and the one timer. */
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
    leg: (): LegView => ({ legId: 'customer', role: 'customer', status: 'answered', hangupQ850: null }),
    play: () => Promise.resolve((this.playing = 'prompt')),
    stopPlay: (playbackId: string) => Promise.resolve(void this.stopped.push(playbackId)),
    startTimer: (delayMs: number) => (this.timerMs = delayMs),
    cancelTimer: () => (this.timerMs = null),
    note: () => undefined,
  } as unknown as CallControl;

  async asked(): Promise<this> {
    await this.#gather.start(this.#call);
    return this;
  }

  async press(digits: string): Promise<void> {
    for (const digit of digits) await this.#told({ type: 'leg.dtmf', digit, durationMs: 100 });
  }

  heardAll(outcome: 'completed' | 'failed' = 'completed'): Promise<boolean> {
    return this.#told({ type: 'play.finished', playbackId: 'prompt', outcome });
  }

  timePasses(): Promise<boolean> {
    this.timerMs = null;
    return this.#gather.onSignal(this.#call, { type: 'later', key: 'gather' });
  }

  cancel(): Promise<void> {
    return this.#gather.cancel(this.#call);
  }

  #told(event: object): Promise<boolean> {
    return this.#gather.onLegEvent(this.#call, { ...event, legId: 'customer', at: new Date(0) } as unknown as LegEvent);
  }
}

describe('Asking a caller for digits', () => {
  it('takes the answer at its last digit, and stops the prompt at its first', async () => {
    const caller = await new Caller().asked();
    await caller.press('12345');
    expect(caller.answers).to.deep.equal([{ digits: '1234', by: 'length' }]);
    expect(caller.stopped).to.deep.equal(['prompt']);
    expect(caller.timerMs).to.equal(null);
  });

  it('takes the answer at the terminator, which is no part of it', async () => {
    const caller = await new Caller().asked();
    await caller.press('12#');
    expect(caller.answers).to.deep.equal([{ digits: '12', by: 'terminator' }]);
  });

  it('takes the terminator for a digit where there is none', async () => {
    const caller = await new Caller({ terminator: null, maxDigits: 2 }).asked();
    await caller.press('1#');
    expect(caller.answers).to.deep.equal([{ digits: '1#', by: 'length' }]);
  });

  for (const outcome of ['completed', 'failed'] as const) {
    it(`waits for the first digit once the prompt is ${outcome}, and calls nothing silence`, async () => {
      const caller = await new Caller().asked();
      expect(caller.timerMs).to.equal(null);
      await caller.heardAll(outcome);
      expect(caller.timerMs).to.equal(5_000);
      await caller.timePasses();
      expect(caller.answers).to.deep.equal([{ digits: '', by: 'silence' }]);
    });
  }

  it('waits for each further digit, and takes what there is', async () => {
    const caller = await new Caller().asked();
    await caller.press('12');
    expect(caller.timerMs).to.equal(2_000);
    await caller.timePasses();
    expect(caller.answers).to.deep.equal([{ digits: '12', by: 'timeout' }]);
  });

  it('hears no digits during a prompt that may not be broken off', async () => {
    const caller = await new Caller({ bargeIn: false }).asked();
    await caller.press('1');
    expect(caller.stopped).to.deep.equal([]);
    await caller.heardAll();
    await caller.press('2#');
    expect(caller.answers).to.deep.equal([{ digits: '2', by: 'terminator' }]);
  });

  it('begins to wait at once where there is no prompt', async () => {
    const caller = await new Caller({ prompt: [] }).asked();
    expect(caller.playing).to.equal(null);
    expect(caller.timerMs).to.equal(5_000);
  });

  it('takes nothing after it was cancelled', async () => {
    const caller = await new Caller().asked();
    await caller.cancel();
    await caller.press('1234');
    expect(await caller.timePasses()).to.equal(false);
    expect(caller.answers).to.deep.equal([]);
    expect(caller.stopped).to.deep.equal(['prompt']);
  });
});
