import { Emitter } from '../base/emitter.js';
import { ownError } from '../errors/error.js';
import { Input, type InputUser } from './input.js';
import type { Processing } from './microphone.js';

/** The device that the system chooses. */
export const DEFAULT_DEVICE = 'default';

export interface AudioDevice {
  readonly id: string;
  /** Empty until the page was allowed to use the microphone. */
  readonly label: string;
}

interface AudioEvents {
  /** Devices came or went, or another one is used. */
  changed: undefined;
  /** The microphone is gone, and there is no other. */
  inputLost: undefined;
}

/** What plays on the chosen devices. */
export interface OutputUser {
  use(deviceId: string): Promise<void>;
}

type Kind = 'output' | 'ringtone';

/** Microphones and loudspeakers: lists them, follows changes, and moves calls that are on to another one. */
export class AudioDevices extends Emitter<AudioEvents> {
  #inputs: readonly AudioDevice[] = [];
  #outputs: readonly AudioDevice[] = [];
  #input: string = DEFAULT_DEVICE;
  readonly #chosen: Record<Kind, string> = { output: DEFAULT_DEVICE, ringtone: DEFAULT_DEVICE };
  readonly #users: Record<Kind, Set<OutputUser>> = { output: new Set(), ringtone: new Set() };
  readonly #microphone: Input = new Input(() => void this.#inputGone());
  readonly #onDevices = (): void => void this.#follow();
  /** What `default` stands for, by which a change of it is noticed. */
  #defaultGroup: string | undefined;

  /** @internal */
  constructor(private processing: Processing) {
    super();
    mediaDevices()?.addEventListener('devicechange', this.#onDevices);
    void this.refresh();
  }

  get inputs(): readonly AudioDevice[] {
    return this.#inputs;
  }

  /** Empty in browsers that do not let pages choose, for example on iPhones. */
  get outputs(): readonly AudioDevice[] {
    return this.#outputs;
  }

  /** The chosen microphone's ID, or `default`. */
  get input(): string {
    return this.#input;
  }

  get output(): string {
    return this.#chosen.output;
  }

  get ringtoneOutput(): string {
    return this.#chosen.ringtone;
  }

  get noiseSuppression(): boolean {
    return this.processing.noiseSuppression;
  }

  /** Whether a page can choose the loudspeaker. */
  get canChooseOutput(): boolean {
    return 'setSinkId' in HTMLMediaElement.prototype;
  }

  /** Reads the devices again: after the person allowed the microphone, they have names. */
  async refresh(): Promise<void> {
    const all = (await mediaDevices()?.enumerateDevices()) ?? [];
    const listed = (kind: MediaDeviceKind): AudioDevice[] =>
      all.filter((one) => one.kind === kind).map(({ deviceId, label }) => ({ id: deviceId, label }));
    this.#inputs = listed('audioinput');
    this.#outputs = this.canChooseOutput ? listed('audiooutput') : [];
    this.#defaultGroup = all.find((one) => one.kind === 'audioinput' && one.deviceId === DEFAULT_DEVICE)?.groupId;
    this.emit('changed');
  }

  /** Uses another microphone, also in calls that are on. @throws HatifError AUDIO_DEVICE_NOT_FOUND, MICROPHONE_* */
  async setInput(id: string): Promise<void> {
    await this.#microphone.change(id, this.processing);
    this.#input = id;
    this.emit('changed');
  }

  /** Plays calls on another device. @throws HatifError AUDIO_DEVICE_NOT_FOUND, OUTPUT_NOT_SUPPORTED */
  setOutput(id: string): Promise<void> {
    return this.#choose('output', id);
  }

  /** Rings on another device: the loudspeaker, say, while calls use the headset. */
  setRingtoneOutput(id: string): Promise<void> {
    return this.#choose('ringtone', id);
  }

  /** Whether the browser removes noise from the microphone, also in calls that are on. */
  async setNoiseSuppression(isOn: boolean): Promise<void> {
    const processing = { ...this.processing, noiseSuppression: isOn };
    await this.#microphone.change(this.#input, processing);
    this.processing = processing;
    this.emit('changed');
  }

  /** @internal */
  async takeInput(user: InputUser): Promise<MediaStreamTrack> {
    const track = await this.#microphone.take(user, this.#input, this.processing);
    // Names of devices are shown from the first permission on.
    if (this.#inputs.every(({ label }) => label === '')) void this.refresh();
    return track;
  }

  /** @internal */
  releaseInput(user: InputUser): void {
    this.#microphone.release(user);
  }

  /** @internal @returns a function that ends it */
  addOutput(kind: Kind, user: OutputUser): () => void {
    this.#users[kind].add(user);
    if (this.#chosen[kind] !== DEFAULT_DEVICE) void user.use(this.#chosen[kind]).catch(() => undefined);
    return () => void this.#users[kind].delete(user);
  }

  /** @internal */
  close(): void {
    mediaDevices()?.removeEventListener('devicechange', this.#onDevices);
  }

  async #choose(kind: Kind, id: string): Promise<void> {
    if (!this.canChooseOutput && id !== DEFAULT_DEVICE) throw ownError('OUTPUT_NOT_SUPPORTED');
    if (id !== DEFAULT_DEVICE && !this.#outputs.some((one) => one.id === id)) throw ownError('AUDIO_DEVICE_NOT_FOUND');
    await Promise.all([...this.#users[kind]].map((user) => user.use(id))).catch((error: unknown) => {
      throw ownError('AUDIO_DEVICE_NOT_FOUND', error);
    });
    this.#chosen[kind] = id;
    this.emit('changed');
  }

  /** Devices came or went: what is gone is replaced by the system's choice, and calls go over to a new headset. */
  async #follow(): Promise<void> {
    const before = this.#defaultGroup;
    await this.refresh();
    for (const kind of ['output', 'ringtone'] as const) {
      const id = this.#chosen[kind];
      if (id !== DEFAULT_DEVICE && !this.#outputs.some((one) => one.id === id)) {
        await this.#choose(kind, DEFAULT_DEVICE).catch(() => undefined);
      }
    }
    const isGone = this.#input !== DEFAULT_DEVICE && !this.#inputs.some(({ id }) => id === this.#input);
    const isOther = this.#input === DEFAULT_DEVICE && before !== undefined && before !== this.#defaultGroup;
    if (isGone || isOther) await this.#inputGone();
  }

  async #inputGone(): Promise<void> {
    this.#input = DEFAULT_DEVICE;
    try {
      await this.#microphone.change(DEFAULT_DEVICE, this.processing);
      this.emit('changed');
    } catch {
      this.emit('inputLost');
    }
  }
}

function mediaDevices(): MediaDevices | undefined {
  return (navigator as { mediaDevices?: MediaDevices }).mediaDevices;
}
