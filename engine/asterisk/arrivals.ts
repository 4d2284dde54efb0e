import { EngineError } from '../../core/ports/engine.js';

/**
 * Waits for channels to enter the Stasis application. Asterisk answers "created" slightly before a channel accepts
 * commands, and refuses commands sent in between.
 */
export class Arrivals {
  readonly #expected = new Map<string, () => void>();

  constructor(private readonly timeoutMs: number) {}

  /**
   * Call this before creating the channel. `arrived` resolves when the channel enters the application or ends;
   * `forget` stops waiting.
   * @throws EngineError `timeout`
   */
  expect(channelId: string): { readonly arrived: Promise<void>; readonly forget: () => void } {
    let forget = (): void => undefined;
    const arrived = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#expected.delete(channelId);
        reject(new EngineError('timeout', `Channel ${channelId} did not enter the application`));
      }, this.timeoutMs);
      forget = () => {
        clearTimeout(timer);
        this.#expected.delete(channelId);
        resolve();
      };
      this.#expected.set(channelId, forget);
    });
    // The caller handles the rejection, but it may occur before the caller awaits the promise.
    arrived.catch(() => undefined);
    return { arrived, forget };
  }

  /** Reports that the channel entered the application, or ended. */
  note(channelId: string): void {
    this.#expected.get(channelId)?.();
  }
}
