import type { AudioDevices } from './audio-devices.js';
import { cutGathering } from './gathering.js';
import { hideFailure, iceStateOf } from './ice.js';
import type { InputUser } from './input.js';
import { Speaker } from './speaker.js';

export interface CallMediaOptions {
  readonly audio: AudioDevices;
  /** A stream of the page's own, in place of the microphone. */
  readonly stream: MediaStream | null;
  readonly rtc: () => RTCConfiguration;
  readonly gatheringMs: number;
  readonly onIce: (state: RTCIceConnectionState) => void;
}

/** The audio of one call: what it sends, what it plays, and its connection. */
export class CallMedia implements InputUser {
  #connection: RTCPeerConnection | null = null;
  #track: MediaStreamTrack | null = null;
  #isOwnTrack = false;
  #isClosed = false;
  #remote: MediaStream | null = null;
  #endGathering: () => void = () => undefined;
  readonly #speaker = new Speaker(() => undefined);
  readonly #endOutput: () => void;

  constructor(private readonly options: CallMediaOptions) {
    this.#endOutput = options.audio.addOutput('output', this.#speaker);
  }

  /** @throws Error if there is none yet */
  get connection(): RTCPeerConnection {
    if (!this.#connection) throw new Error('the call has no connection yet');
    return this.#connection;
  }

  get iceState(): RTCIceConnectionState {
    return this.#connection === null ? 'new' : iceStateOf(this.#connection);
  }

  get remoteStream(): MediaStream | null {
    return this.#remote;
  }

  get surroundings(): { microphone: 'live' | 'muted' | 'gone'; isPlaybackBlocked: boolean } {
    const { isBlocked: isPlaybackBlocked } = this.#speaker;
    if (this.#track?.readyState !== 'live') return { microphone: 'gone', isPlaybackBlocked };
    return { microphone: this.#track.muted ? 'muted' : 'live', isPlaybackBlocked };
  }

  /** Whether keys can be sent: not before the audio is connected, and not while the other side holds the call. */
  get takesKeys(): boolean {
    const sender = this.#connection?.getSenders().find(({ track }) => track?.kind === 'audio');
    const keys: { readonly canInsertDTMF?: boolean } | null = sender?.dtmf ?? null;
    // Not every browser says whether it takes keys; the others take them.
    return keys !== null && keys.canInsertDTMF !== false;
  }

  /** What the call sends. @throws HatifError */
  async open(stream: MediaStream | null): Promise<MediaStream> {
    const [given] = (stream ?? this.options.stream)?.getAudioTracks() ?? [];
    this.#isOwnTrack = given === undefined;
    this.#track = given ?? (await this.options.audio.takeInput(this));
    if (this.#isClosed) this.#release();
    return new MediaStream([this.#track]);
  }

  replace(track: MediaStreamTrack): void {
    const before = this.#track;
    track.enabled = before?.enabled ?? true;
    this.#track = track;
    const sender = this.#connection?.getSenders().find((one) => one.track === before || one.track?.kind === 'audio');
    void sender?.replaceTrack(track).then(() => before?.stop());
  }

  adopt(connection: RTCPeerConnection): void {
    this.#connection = connection;
    hideFailure(connection);
    const { gatheringMs: cutMs, rtc } = this.options;
    const { iceServers = [], iceTransportPolicy } = rtc();
    this.#endGathering = cutGathering(connection, { cutMs, iceServers, isRelayOnly: iceTransportPolicy === 'relay' });
    connection.addEventListener('iceconnectionstatechange', () => this.options.onIce(iceStateOf(connection)));
    connection.addEventListener('track', ({ streams: [stream], track }) => {
      if (this.#isClosed) return;
      this.#remote = stream ?? new MediaStream([track]);
      this.#speaker.play(this.#remote);
    });
  }

  useServers({ iceServers = [] }: RTCConfiguration): void {
    const { signalingState } = this.#connection ?? { signalingState: 'closed' };
    if (signalingState === 'closed') return;
    this.#connection?.setConfiguration({ ...this.#connection.getConfiguration(), iceServers });
  }

  close(): void {
    this.#isClosed = true;
    this.#endGathering();
    this.#endOutput();
    this.#speaker.stop();
    this.#release();
  }

  #release(): void {
    if (!this.#isOwnTrack) return;
    this.#track?.stop();
    this.options.audio.releaseInput(this);
  }
}
