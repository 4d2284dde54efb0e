import { z } from 'zod';
import type { ChatappAccount } from '../../../core/ports/messaging/chatapp-accounts.js';
import type { MessageFile } from '../../../core/ports/messaging/message-files.js';
import { ProviderRefusal, ProviderUnavailable } from '../../../core/ports/messaging/provider-errors.js';
import { bodyOf, type GraphClient } from './graph.js';

/** What WhatsApp takes at most. */
const MOST_BYTES = 100 * 1024 * 1024;

const media = z.object({ url: z.string(), mime_type: z.string().default('application/octet-stream') });

/**
 * Fetches a file that came with a message (Cloud API, `GET /{media-id}`, and then the address that it names).
 * @returns null if WhatsApp does not have it any more
 * @throws ProviderUnavailable
 */
export async function fetchMedia(
  graph: Pick<GraphClient, 'ask' | 'download'>,
  { phoneNumberId, accessToken: token }: ChatappAccount,
  id: string,
): Promise<MessageFile | null> {
  const path = `/${encodeURIComponent(id)}?phone_number_id=${encodeURIComponent(phoneNumberId)}`;
  const answer = await graph.ask({ method: 'GET', path, token });
  let body: unknown;
  try {
    body = bodyOf(answer);
  } catch (error) {
    if (error instanceof ProviderRefusal) return null;
    throw error;
  }
  const { data } = media.safeParse(body);
  if (!data) throw new ProviderUnavailable('the provider does not name the address of the file');
  const bytes = await graph.download(data.url, token, MOST_BYTES);
  return bytes && { bytes, mediaType: data.mime_type.split(';')[0]?.trim() ?? '', name: 'file' };
}
