import { unlessUnavailable } from '../../core/data/errors.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type {
  CallControl,
  CallProgram,
  ProgramSignal,
  ProgramSpec,
  Prompts,
} from '../../core/services/call-state/program.js';
import type { OpenChallenge, ChallengeCalls } from '../../core/services/voice-auth/challenge-calls.js';
import { AUTH_WORDS } from '../../core/services/voice-auth/words.js';
import { Gather, type Answer } from '../dialogue/gather.js';
import { NORMAL } from '../dialogue/endings.js';

const TRIES = 2;
const PAUSE = { type: 'silence', durationMs: 500 } as const;
const DENY = '#';
const KEYS = {
  maxDigits: 2,
  terminator: DENY,
  firstDigitMs: 10_000,
  nextDigitMs: 5_000,
  bargeIn: true,
} as const;

type Said = 'wrong' | 'silent' | null;
type Farewell = 'approved' | 'denied' | 'over';

interface State {
  readonly try: number;
  /** Why the question is asked again. */
  readonly said: Said;
  /** A key was pressed, so a person is on the line. */
  readonly heard: boolean;
  /** The challenge is complete; only the goodbye remains. */
  readonly over: boolean;
  /** The last playback. */
  readonly playbackId: string | null;
}

const INITIAL: State = { try: 1, said: null, heard: false, over: false, playbackId: null };

/** Asks the person who answers for the two digits on the screen, at most twice, even across a restart. */
export class VoiceAuthProgram implements CallProgram {
  #state: State;
  #gather: Gather | null = null;
  #farewell: string | null = null;

  constructor(
    private readonly spec: Extract<ProgramSpec, { type: 'voice_auth' }>,
    private readonly challengeCalls: Pick<ChallengeCalls, 'open' | 'complete'>,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? INITIAL;
  }

  async start(call: CallControl): Promise<void> {
    const challenge = await this.#open(call);
    if (challenge === null) return this.#sayGoodbye(call, 'over');
    if (challenge.simulated !== null) return this.#finish(call, challenge.simulated);
    this.#gather = new Gather({ ...KEYS, prompt: await this.#question(challenge) }, (on, answer) =>
      this.#answered(on, challenge, answer),
    );
    call.note('voice_auth.asked', { try: this.#state.try });
    await this.#gather.start(call);
    this.#save(call, { playbackId: this.#gather.playbackId });
  }

  /** Asks again. Used tries stay used. */
  async resume(call: CallControl): Promise<void> {
    const { over, playbackId } = this.#state;
    if (playbackId !== null) await call.stopPlay(playbackId);
    if (over) await call.end(NORMAL);
    else await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (await this.#gather?.onLegEvent(call, event)) return;
    if (event.type === 'play.finished' && event.playbackId === this.#farewell) await call.end(NORMAL);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    await this.#gather?.onSignal(call, signal);
  }

  async #answered(call: CallControl, { matchNumber }: OpenChallenge, { digits, by }: Answer): Promise<void> {
    if (digits === matchNumber) return this.#finish(call, 'approved');
    if (by === 'terminator' && digits === '') return this.#finish(call, 'denied');
    const heard = this.#state.heard || by !== 'silence';
    if (this.#state.try >= TRIES) return this.#finish(call, heard ? 'denied' : 'no_answer');
    this.#save(call, { try: this.#state.try + 1, said: by === 'silence' ? 'silent' : 'wrong', heard });
    await this.start(call);
  }

  async #finish(call: CallControl, end: 'approved' | 'denied' | 'no_answer'): Promise<void> {
    const isInTime = await this.#complete(call, end);
    call.note(isInTime ? `voice_auth.${end}` : 'voice_auth.too_late');
    await this.#sayGoodbye(call, !isInTime ? 'over' : end === 'approved' ? 'approved' : 'denied');
  }

  async #sayGoodbye(call: CallControl, farewell: Farewell): Promise<void> {
    this.#gather = null;
    this.#save(call, { over: true });
    const customer = call.leg('customer');
    const item = await this.#say(AUTH_WORDS[this.spec.language][farewell]);
    if (!customer || item === null) await call.end(NORMAL);
    else this.#farewell = await call.play(customer.legId, [item]);
  }

  /** @returns false if the challenge expired or its result could not be stored */
  #complete(call: CallControl, end: 'approved' | 'denied' | 'no_answer'): Promise<boolean> {
    return unlessUnavailable(this.challengeCalls.complete(this.spec.challengeId, end), () => {
      call.note('voice_auth.not_noted');
      return false;
    });
  }

  #open(call: CallControl): Promise<OpenChallenge | null> {
    return unlessUnavailable(this.challengeCalls.open(this.spec.challengeId), () => {
      call.note('voice_auth.not_noted');
      return null;
    });
  }

  async #question({ brand }: OpenChallenge): Promise<readonly MediaItem[]> {
    const words = AUTH_WORDS[this.spec.language];
    const { said } = this.#state;
    const texts = said === null ? [words.greeting(brand), words.question] : [words[said]];
    const items = await Promise.all(texts.map((text) => this.#say(text)));
    return items.flatMap((item) => (item === null ? [] : [item, PAUSE]));
  }

  #say(text: string): Promise<MediaItem | null> {
    return this.prompts.say(text, this.spec.language);
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save({ ...this.#state });
  }
}
