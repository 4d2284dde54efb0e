import { closeStream, openMicrophone, type Processing } from './microphone.js';

/** A call that sends the microphone. */
export interface InputUser {
  /** Sends this track from now on. The track before it is the user's to stop. */
  replace(track: MediaStreamTrack): void;
}

/**
 * One microphone for all calls: each call sends a copy, so that one can be muted alone. It is open only while a call is
 * on.
 */
export class Input {
  readonly #users = new Set<InputUser>();
  #source: MediaStream | null = null;
  #opening: Promise<MediaStream> | null = null;

  /** @param onLost the microphone was disconnected, or the system took it away */
  constructor(private readonly onLost: () => void) {}

  get isOpen(): boolean {
    return this.#source !== null;
  }

  /** A copy of the microphone for a call. @throws HatifError MICROPHONE_*, AUDIO_DEVICE_NOT_FOUND, INSECURE_PAGE */
  async take(user: InputUser, deviceId: string, processing: Processing): Promise<MediaStreamTrack> {
    this.#users.add(user);
    try {
      return copyOf(await this.#open(deviceId, processing));
    } catch (error) {
      this.release(user);
      throw error;
    }
  }

  release(user: InputUser): void {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    closeStream(this.#source);
    this.#source = null;
  }

  /** Goes over to another microphone, or other processing, in the middle of calls. If it fails, the old one stays. */
  async change(deviceId: string, processing: Processing): Promise<void> {
    if (this.#users.size === 0) return;
    const next = await openMicrophone(deviceId, processing);
    const before = this.#source;
    this.#adopt(next);
    for (const user of this.#users) user.replace(copyOf(next));
    closeStream(before);
  }

  async #open(deviceId: string, processing: Processing): Promise<MediaStream> {
    if (this.#source) return this.#source;
    this.#opening ??= openMicrophone(deviceId, processing).finally(() => (this.#opening = null));
    const opened = await this.#opening;
    // Of several calls that waited for it, the first one adopts it.
    if (!this.isOpen) this.#adopt(opened);
    // The call may have ended while the person was asked for permission.
    if (this.#users.size === 0) this.release({ replace: () => undefined });
    return opened;
  }

  #adopt(stream: MediaStream): void {
    this.#source = stream;
    stream.getAudioTracks()[0]?.addEventListener('ended', () => {
      if (this.#source === stream) this.onLost();
    });
  }
}

function copyOf(stream: MediaStream): MediaStreamTrack {
  const [track] = stream.getAudioTracks();
  if (!track) throw new Error('a microphone without audio');
  return track.clone();
}
