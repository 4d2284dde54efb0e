import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { readWav, toneSeconds, type Audio } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import type { Baresip } from '../phones/index.js';
import type { ProcessStage } from '../stages/process-stage.js';

const BEEP_HZ = 1000;

export interface Message {
  readonly id: string;
  readonly call_id: string;
  readonly duration_seconds: number;
  readonly listened_at: string | null;
}

/** The first demo agent's number with voicemail enabled, and a phone that calls it. */
export class VoicemailLine {
  private constructor(
    private readonly stage: ProcessStage,
    private readonly caller: Baresip,
    readonly number: string,
  ) {}

  /** @param settings of the voicemail box, in addition to a short greeting in English */
  static async open(stage: ProcessStage, caller: Baresip, settings: object = {}): Promise<VoicemailLine> {
    const { number } = stage.bootstrap.sip.agents[0]!;
    const numbers = (await stage.request('GET', '/v1/numbers')).body?.data as { id: string; e164: string }[];
    const { id } = numbers.find(({ e164 }) => e164 === number)!;
    const json = { enabled: true, greeting: { text: 'No.', language: 'en' }, ...settings };
    const answer = await stage.request('PUT', `/v1/numbers/${id}/voicemail`, json);
    expect(answer.status, answer.text).to.equal(200);
    return new VoicemailLine(stage, caller, number);
  }

  /** The caller dials, speaks after the beep for this time and continues. @returns the phone's id of the call */
  async speaking(seconds = 1.5): Promise<string> {
    const id = await this.caller.dial(this.number);
    await this.speaks(id, seconds);
    return id;
  }

  /** Resolves when the caller has heard the beep and has spoken for this time. */
  async speaks(id: string, seconds = 1.5): Promise<void> {
    await this.caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: id });
    await pause(seconds * 1000);
  }

  /** Newest first. */
  async messages(): Promise<readonly Message[]> {
    return (await this.stage.request('GET', '/v1/voicemails')).body?.data as Message[];
  }

  /** Resolves with the newest message when there are `count`. */
  async newestOf(count: number): Promise<Message> {
    await eventually(async () => (await this.messages()).length === count, `${count} messages`);
    return (await this.messages())[0]!;
  }

  async audioOf({ id }: Message): Promise<Audio> {
    const { body } = await this.stage.request('GET', `/v1/voicemails/${id}/recording`);
    return readWav(new Uint8Array(await (await fetch(String(body?.url))).arrayBuffer()));
  }
}
