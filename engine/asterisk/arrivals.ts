import { EngineError } from '../../core/ports/engine.js';

/**
 * Waits for channels to enter the application. Asterisk answers "created" a little before a channel takes commands, and
 * refuses those that come in between.
 */
export class Arrivals {
  readonly #expected = new Map<string, () => void>();

  constructor(private readonly timeoutMs: number) {}

  /**
   * To be called before the channel is created. Resolves when it arrived, or is known to have ended.
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
    // Whoever waits sees the rejection; it may come before anybody does.
    arrived.catch(() => undefined);
    return { arrived, forget };
  }

  /** It entered the application, or it ended. */
  note(channelId: string): void {
    this.#expected.get(channelId)?.();
  }
}
