import type { Baresip } from '../phones/index.js';

/**
 * Makes an attended transfer: the phone asks to connect the peer of its first call with the peer of its second call
 * (REFER with Replaces, RFC 3891).
 * @param phone was started with `trace`
 * @param uri of the second call's peer, as the phone dialled it
 */
export async function refersAttended(phone: Baresip, first: string, second: string, uri: string): Promise<void> {
  const answer = phone
    .log()
    .split(/^(?=UDP )/m)
    .find(
      (message) =>
        message.includes('SIP/2.0 200 ') && message.includes(`Call-ID: ${second}`) && /CSeq: \d+ INVITE/.test(message),
    );
  if (answer === undefined) throw new Error(`The phone has no answered call ${second}`);
  const tagOf = (header: string): string => new RegExp(`^${header}:.*;tag=([^;\\s]+)`, 'm').exec(answer)?.[1] ?? '';
  const replaces = encodeURIComponent(`${second};to-tag=${tagOf('To')};from-tag=${tagOf('From')}`);
  await phone.command('callfind', first);
  await phone.command('transfer', `<${uri}?Replaces=${replaces}>`);
}
