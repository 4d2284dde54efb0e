import { HatifError } from '../../model/errors/index.js';

export function unknownMessage(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the message ${id}`, ar: `الرسالة \`${id}\`` } });
}

export function unknownThread(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the conversation ${id}`, ar: `المحادثة \`${id}\`` } });
}

export function unknownSender(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the sender ${id}`, ar: `المُرسِل \`${id}\`` } });
}
