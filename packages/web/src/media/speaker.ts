/** An element that plays audio on a chosen device. A browser without the choice plays on the system's. */
type Sink = Omit<HTMLAudioElement, 'setSinkId'> & { setSinkId?: (id: string) => Promise<void> };

/** Events by which a browser knows that a person wants sound. */
const GESTURES = ['pointerdown', 'keydown', 'touchend'] as const;

/**
 * Plays one sound: the remote side of a call, or a ring tone. Browsers may block sound until the person clicked: it then
 * begins with the next click.
 */
export class Speaker {
  readonly #element: Sink = new Audio();
  readonly #onGesture = (): void => void this.#play();
  #isBlocked = false;
  #isWanted = false;

  constructor(private readonly onBlocked: (isBlocked: boolean) => void) {
    this.#element.autoplay = false;
    // Otherwise an iPhone would open a player in full screen.
    this.#element.setAttribute('playsinline', '');
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** @param source a stream, or the address of a file, which is repeated */
  play(source: MediaStream | string): void {
    this.#isWanted = true;
    if (typeof source === 'string') {
      this.#element.src = source;
      this.#element.loop = true;
    } else if (this.#element.srcObject !== source) {
      this.#element.srcObject = source;
    }
    void this.#play();
  }

  stop(): void {
    this.#isWanted = false;
    this.#element.pause();
    this.#element.srcObject = null;
    this.#element.removeAttribute('src');
    this.#blocked(false);
  }

  /** @throws if the device is not there */
  async use(deviceId: string): Promise<void> {
    await this.#element.setSinkId?.(deviceId === 'default' ? '' : deviceId);
  }

  async #play(): Promise<void> {
    if (!this.#isWanted) return;
    try {
      await this.#element.play();
      this.#blocked(false);
    } catch (error) {
      // A sound that was stopped while it began is no fault.
      if (error instanceof DOMException && error.name === 'NotAllowedError') this.#blocked(true);
    }
  }

  #blocked(isBlocked: boolean): void {
    if (isBlocked === this.#isBlocked) return;
    this.#isBlocked = isBlocked;
    for (const name of GESTURES) {
      if (isBlocked) addEventListener(name, this.#onGesture, { capture: true });
      else removeEventListener(name, this.#onGesture, { capture: true });
    }
    this.onBlocked(isBlocked);
  }
}
