import { serverSentEvents } from '../../cli/common/server-sent-events.js';

/** The messages of a stream whose data is JSON, until it ends or is cut. */
export async function* messagesOf({
  body,
}: Response): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  try {
    for await (const { event, data } of serverSentEvents(body!)) yield { event, data: JSON.parse(data) };
  } catch (error) {
    // Every other error is that of a connection which was cut.
    if (error instanceof SyntaxError) throw error;
  }
}
