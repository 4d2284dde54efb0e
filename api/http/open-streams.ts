import { HatifError } from '../../core/model/errors/index.js';
import type { StreamEvent } from './reply.js';

/** Closing a stream takes its client a moment; a browser that reconnects waits longer. */
const RETRY_AFTER_SECONDS = 5;

/** Limits the event streams that each API key has open in this process: each costs memory and a connection. */
export class OpenStreams {
  readonly #open = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /**
   * Counts a stream until it is left or `end` is aborted.
   * @returns leaves the stream; a repeat does nothing
   * @throws HatifError EVENT_STREAM_LIMIT_EXCEEDED if the key already has as many as it may have
   */
  enter(keyId: string, end: AbortSignal): () => void {
    const open = this.#open.get(keyId) ?? 0;
    if (open >= this.limit) {
      throw new HatifError('EVENT_STREAM_LIMIT_EXCEEDED', {
        limit: this.limit,
        retry_after_seconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#open.set(keyId, open + 1);
    let isOpen = true;
    const leave = (): void => {
      if (isOpen) this.#leave(keyId);
      isOpen = false;
    };
    if (end.aborted) leave();
    else end.addEventListener('abort', leave, { once: true });
    return leave;
  }

  #leave(keyId: string): void {
    const open = (this.#open.get(keyId) ?? 0) - 1;
    if (open > 0) this.#open.set(keyId, open);
    else this.#open.delete(keyId);
  }
}

/** The events of a stream, which is left when they end. @param show makes the event of an item */
export async function* untilLeft<Item>(
  items: AsyncIterable<Item>,
  show: (item: Item) => StreamEvent | Promise<StreamEvent>,
  leave: () => void,
): AsyncGenerator<StreamEvent> {
  try {
    for await (const item of items) yield await show(item);
  } finally {
    leave();
  }
}
